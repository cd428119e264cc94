#include "troupe/runtime/http/curl_errors.hpp"

#include <curl/curl.h>

#include <utility>

namespace troupe {

namespace {

fault make_fault(errc kind, std::string message) {
  auto result = fault{};
  result.kind = kind;
  result.message = std::move(message);
  result.retryable = kind == errc::network || kind == errc::timeout;
  return result;
}

fault untrusted(const std::string& detail) {
  auto result = make_fault(errc::network,
                           "the server is not trusted: " + detail);
  result.retryable = false;
  result.hint = "check the host in base_url and the system's certificates";
  return result;
}

} // namespace

fault curl_fault(int code, transfer_phase phase, std::string detail) {
  if (detail.empty())
    detail = curl_easy_strerror(static_cast<CURLcode>(code));
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
      return make_fault(errc::configuration, "not an http URL: " + detail);
    case CURLE_OPERATION_TIMEDOUT:
      return make_fault(errc::timeout, phase == transfer_phase::connecting
                                         ? "no connection in time: " + detail
                                         : "no answer in time: " + detail);
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
      return make_fault(errc::network, "no connection: " + detail);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return untrusted(detail);
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_FILESIZE_EXCEEDED:
      return make_fault(errc::protocol, "not a valid HTTP answer: " + detail);
    case CURLE_OUT_OF_MEMORY:
    case CURLE_FAILED_INIT:
    case CURLE_BAD_FUNCTION_ARGUMENT:
      return make_fault(errc::internal, detail);
    default:
      return make_fault(errc::network, phase == transfer_phase::answering
                                         ? "the answer is truncated: " + detail
                                         : "the connection broke: " + detail);
  }
}

} // namespace troupe
