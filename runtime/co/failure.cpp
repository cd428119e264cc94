#include "troupe/runtime/co/failure.hpp"

namespace troupe::co {

caf::error to_error(const std::exception_ptr& caught) {
  try {
    std::rethrow_exception(caught);
  } catch (const failure& why) {
    return why.reason();
  } catch (const std::exception& why) {
    return make_error(errc::internal, why.what());
  } catch (...) { // foreign exceptions have no text
    return make_error(errc::internal, "an exception of an unknown type");
  }
}

} // namespace troupe::co
