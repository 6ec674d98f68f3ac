// SPDX-License-Identifier: Apache-2.0
#include "curl_error.hpp"

#include <string>
#include <system_error>
#include <utility>

#include <kube/transport/exchange_failure.hpp>

namespace kube::transport {
namespace {

Error bad_response(std::string text) {
  return with_exchange_failure(Error(ErrorCode::Unreachable, std::move(text)),
                               ExchangeFailure::BadResponse);
}

// by text: where it is called, it is said why
bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// A handshake that was interrupted is a failure of the network (a server that restarts, a proxy
// that gives up); one that was refused is a problem of certificates. libcurl has one code for both,
// and neither an errno nor OpenSSL's code: what is lost is read from its text. A text of another
// version makes it a problem of certificates, which is not retried.
// by text: there is no other sign
bool connection_lost(std::string_view text) {
  return contains(text, "SSL_connect: ") || contains(text, "unexpected eof") ||
         contains(text, "Recv failure") || contains(text, "Send failure");
}

ErrorCode code_for(CURLcode code, std::string_view text, const TlsAlert& alert) {
  // TLS 1.3 servers refuse a client certificate when the client already reads the response.
  if (alert.is_about_certificates()) return ErrorCode::Credentials;
  switch (code) {
    case CURLE_SSL_CONNECT_ERROR:
      return connection_lost(text) ? ErrorCode::Unreachable : ErrorCode::Credentials;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_USE_SSL_FAILED:
      return ErrorCode::Credentials;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_OPERATION_TIMEDOUT:  // curl limits only connecting; other timeouts are ours.
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:  // A response that isn't HTTP; URLs were checked before.
    case CURLE_SEND_FAIL_REWIND:
    case CURLE_NO_CONNECTION_AVAILABLE:
    case CURLE_PROXY:
      return ErrorCode::Unreachable;
    case CURLE_BAD_CONTENT_ENCODING:
      return ErrorCode::Decode;
    case CURLE_URL_MALFORMAT:
      return ErrorCode::InvalidArgument;
    default:
      return ErrorCode::Internal;
  }
}

}  // namespace

Error cant_connect(long os_error) {
  std::string text = "can't connect";
  if (os_error != 0) text += ": " + std::generic_category().message(static_cast<int>(os_error));
  return {ErrorCode::Unreachable, std::move(text)};
}

// by text: libcurl's words decide about ours, and, as said below, about a wrong chunk
Error curl_error(CURLcode code, std::string_view text, long os_error, ResponsePart part,
                 const TlsAlert& alert) {
  // curl describes these errors in terms of its internals.
  if (code == CURLE_SEND_FAIL_REWIND) {
    return Error(ErrorCode::Unreachable, "the connection was lost after the request had been sent");
  }
  // Each version of curl has another code for a head above its limits: lack of memory, or a new
  // one.
  const ErrorCode known = code_for(code, text, alert);
  if (known == ErrorCode::Internal && part == ResponsePart::Head) {
    return bad_response(
        "the response has a header line of more than 100 KB, or memory has run out");
  }
  // Its code for a wrong chunk is that of a lost connection, and only its text differs: where that
  // is another one, a read is sent again in vain.
  if (part == ResponsePart::Body && contains(text, "chunk")) {
    return bad_response(
        "the response's chunks are malformed, or one of its trailers has more than 4 KB");
  }
  // curl's only text for a GOAWAY that leaves requests without a response.
  if (code == CURLE_HTTP2 && (text.empty() || text == curl_easy_strerror(code))) {
    return Error(
        ErrorCode::Unreachable,
        "the HTTP/2 connection was lost before the response was complete: the server went away "
        "(GOAWAY), or sent an invalid frame");
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  const std::string_view general = curl_easy_strerror(code);
  std::string message(text.empty() ? general : text);
  // For "Failed to connect to ...: Couldn't connect to server", the system knows the reason.
  if (os_error != 0 && message.ends_with(general)) {
    message.replace(message.size() - general.size(), general.size(),
                    std::generic_category().message(static_cast<int>(os_error)));
  }
  // What OpenSSL makes of a response in plain text to its first message.
  if (code == CURLE_SSL_CONNECT_ERROR && contains(text, "wrong version number")) {
    message.insert(0, "the server does not speak TLS, it seems to speak plain HTTP: ");
  }
  // "Received HTTP/0.9 when not allowed"
  if (code == CURLE_UNSUPPORTED_PROTOCOL) message.insert(0, "the response is not HTTP: ");
  if (known == ErrorCode::Internal && part == ResponsePart::Body)
    return bad_response(std::move(message));
  return Error(known, std::move(message));
}

}  // namespace kube::transport
