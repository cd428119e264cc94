// The compiled part of Boost.JSON, in a file of its own: a program that brings
// its own copy links that one, and this file is left out.
#include <boost/json/src.hpp>
