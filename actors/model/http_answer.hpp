#pragma once

#include "troupe/actors/model/answer_source.hpp"
#include "troupe/runtime/http/http_exchange.hpp"
#include "troupe/runtime/http/http_transport.hpp"
#include "troupe/runtime/model/provider_codec.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Whom a request goes to.
struct http_answer_server {
  std::shared_ptr<const provider_codec> codec;
  std::shared_ptr<http_transport> transport;
};

/// One answer that comes over HTTP: encodes the request, owns the transfer,
/// decodes what is pulled. Bytes that nobody reads pause the transfer.
class http_answer : public answer_source {
public:
  http_answer(http_answer_server server, model_request request);

  void start(model_stream_actor::pointer self) override;

  co::task<bool> read(model_stream_actor::pointer self,
                      std::vector<model_event>* out) override;

  co::task<void> close(model_stream_actor::pointer self) override;

private:
  static co::task<bool> read_next(http_answer* x,
                                  std::vector<model_event>* out);

  static co::task<void> close_exchange(http_answer* x);

  caf::error take(http_news news, std::vector<model_event>& out);

  caf::error decode(std::string_view bytes, std::vector<model_event>& out);

  // The transfer is over; `why` is the transport's word.
  caf::error finish(caf::error why, std::vector<model_event>& out);

  http_answer_server server_;
  model_request request_;
  http_head head_;
  // Of an answer that is an error.
  std::string error_body_;
  // Of an answer that is one.
  std::unique_ptr<response_decoder> decoder_;
  // Null while no transfer is under way.
  std::unique_ptr<http_exchange> exchange_;
};

} // namespace troupe
