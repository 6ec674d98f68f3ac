// SPDX-License-Identifier: Apache-2.0
//
// Api<T> for pods and for untyped deployments, on a scripted server.
#pragma once

#include <string>
#include <utility>

#include <kube/api/core/v1/pod.hpp>
#include <kube/client/client.hpp>

#include "client_fixture.hpp"

namespace kube {

inline constexpr const char* kPodJson =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"web","uid":"u1",)"
    R"("resourceVersion":"7"},"spec":{"nodeName":"n1","containers":null},"status":{},"future":1})";

class ApiTest : public ClientTest {
 protected:
  Client make_client(ClientOptions options = {}) {
    options.runtime = runtime;
    options.transport = server;
    auto made = Client::create(
        {.host = "https://h", .namespace_ = "mine", .content_type = "application/json"},
        std::move(options));
    EXPECT_TRUE(made) << made.error().to_string();
    return *made;
  }
  std::string sent_line() const { return request_line(last_request()); }

  Client client = make_client();
  Api<core::v1::Pod> pods = client.api<core::v1::Pod>("web");
  Api<Unstructured> any = client.api(kDeploymentsResource, "web");
};

}  // namespace kube
