// SPDX-License-Identifier: Apache-2.0
#include "server_fixture.hpp"

namespace kube::apiserver::test {

ApiServer::Options ServerTest::options() const {
  ApiServer::Options options;
  options.seed = 1;
  options.initial_revision = 100;
  return options;
}

void ServerTest::SetUp() {
  start(options());
}

void ServerTest::start(ApiServer::Options options) {
  client_.reset();
  server_.reset();
  auto started = ApiServer::start(std::move(options));
  ASSERT_TRUE(started) << started.error().to_string();
  server_ = *std::move(started);
  make_namespace("t");
}

Answer ServerTest::call(std::string_view method, std::string_view target, std::string_view body,
                        const Headers& headers) {
  if (!client_) client_ = std::make_unique<HttpClient>(port());
  Answer answer = client_->send(method, target, body, headers);
  if (!answer.complete || answer.header("connection") == "close") client_.reset();
  return answer;
}

Answer ServerTest::make_config_map(std::string_view name, std::string_view data,
                                   std::string_view namespace_, std::string_view metadata) {
  Answer answer = post("/api/v1/namespaces/" + std::string(namespace_) + "/configmaps",
                       config_map(name, data, metadata));
  EXPECT_EQ(answer.status, 201) << answer.body;
  return answer;
}

void ServerTest::make_namespace(std::string_view name) {
  const Answer answer =
      post("/api/v1/namespaces", R"({"metadata":{"name":")" + std::string(name) + R"("}})");
  ASSERT_EQ(answer.status, 201) << answer.body;
}

std::string config_map(std::string_view name, std::string_view data, std::string_view metadata) {
  std::string out = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")";
  out.append(name).append("\"");
  if (!metadata.empty()) out.append(",").append(metadata);
  return out.append("},\"data\":").append(data).append("}");
}

std::string pod(std::string_view name, std::string_view spec, std::string_view metadata) {
  std::string out = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")";
  out.append(name).append("\"");
  if (!metadata.empty()) out.append(",").append(metadata);
  out += R"(},"spec":{"containers":[{"name":"c","image":"i"}])";
  if (!spec.empty()) out.append(",").append(spec);
  return out.append("}}");
}

namespace {

template <class F>
std::string join_items(const Answer& list, const F& f) {
  const json::Value content = list.json();
  const json::Value* items = content.at_path({"items"});
  if (items == nullptr || !items->is_array()) return "(no list)";
  std::string out;
  for (const json::Value& item : *items->if_array()) {
    if (!out.empty()) out += ' ';
    out += f(item);
  }
  return out;
}

}  // namespace

std::string names_of(const Answer& list) {
  return join_items(list, [](const json::Value& item) {
    return text_at_path(item, {"metadata", "name"});
  });
}

std::string keys_of(const Answer& list) {
  return join_items(list, [](const json::Value& item) {
    return text_at_path(item, {"metadata", "namespace"}) + "/" +
           text_at_path(item, {"metadata", "name"});
  });
}

void expect_status(const Answer& answer, int code, std::string_view reason) {
  EXPECT_EQ(answer.status, code) << answer.body;
  EXPECT_EQ(answer.header("content-type"), "application/json");
  EXPECT_EQ(answer.at({"kind"}), "Status") << answer.body;
  EXPECT_EQ(answer.at({"apiVersion"}), "v1");
  EXPECT_EQ(answer.at({"status"}), "Failure");
  EXPECT_EQ(answer.at({"code"}), std::to_string(code));
  EXPECT_EQ(answer.at({"reason"}), reason) << answer.body;
  const json::Value content = answer.json();
  const json::Value* metadata = content.at_path({"metadata"});
  EXPECT_TRUE(metadata != nullptr && metadata->is_object()) << answer.body;
  EXPECT_EQ(answer.header("retry-after"), answer.at({"details", "retryAfterSeconds"}));
}

std::string first_cause(const Answer& answer) {
  const json::Value content = answer.json();
  const json::Value* causes = content.at_path({"details", "causes"});
  if (causes == nullptr || !causes->is_array() || causes->if_array()->empty()) return {};
  const json::Value& cause = causes->if_array()->front();
  return text_at_path(cause, {"reason"}) + " " + text_at_path(cause, {"field"});
}

json::Value with(json::Value object, std::initializer_list<std::string_view> path,
                 json::Value value) {
  object.ensure_path(path) = std::move(value);
  return object;
}

}  // namespace kube::apiserver::test
