#include "troupe/config/errc.hpp"

#include <iostream>

int main() {
  auto why = troupe::make_error(troupe::errc::limit, "nothing to do");
  std::cout << troupe::render(troupe::to_fault(why)) << '\n';
}
