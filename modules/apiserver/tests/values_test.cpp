// SPDX-License-Identifier: Apache-2.0
//
// Values are stored as their type writes them, and bodies that can't be read are named in the words
// of kube-apiserver 1.37.1.
#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Values : public ServerTest {
 protected:
  Answer yaml(std::string_view target, std::string_view body) {
    return call("POST", target, body, {{"Content-Type", "application/yaml"}});
  }
  std::string refusal(std::string_view body) { return post(kConfigMaps, body).at({"message"}); }
};

TEST_F(Values, HaveOneFormInWhateverFormTheyWereWritten) {
  const std::string target = std::string(kConfigMaps) + "/a";
  const Answer made =
      post(kConfigMaps, R"({"metadata":{"name":"a","ownerReferences":null,"labels":{"a":null}},)"
                        R"("data":{"d":null},"binaryData":{"b":"YWJj\nZGVm","c":"YR=="}})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.at({"binaryData"}), R"({"b":"YWJjZGVm","c":"YQ=="})");
  EXPECT_EQ(made.at({"data"}), R"({"d":""})");
  EXPECT_EQ(made.at({"metadata", "labels"}), R"({"a":""})");
  const Answer same = put(target, with(made.json(), {"binaryData", "b"}, "YWJj\r\nZGVm"));
  EXPECT_EQ(same.at({"metadata", "resourceVersion"}), made.at({"metadata", "resourceVersion"}))
      << "an equal write is no new version";
}

TEST_F(Values, TimesAreSecondsInUtcOrMicroseconds) {
  const Answer lease = post("/apis/coordination.k8s.io/v1/namespaces/t/leases",
                            R"({"metadata":{"name":"l"},"spec":{)"
                            R"("renewTime":"2020-01-02T03:04:05.123456+02:00"}})");
  EXPECT_EQ(lease.at({"spec", "renewTime"}), "2020-01-02T01:04:05.123456Z") << lease.body;
  const Answer short_one =
      post("/apis/coordination.k8s.io/v1/namespaces/t/leases",
           R"({"metadata":{"name":"m"},"spec":{"renewTime":"2020-01-02T03:04:05Z"}})");
  expect_status(short_one, 400, "BadRequest");
  EXPECT_EQ(short_one.at({"message"}),
            R"(Lease in version "v1" cannot be handled as a Lease: parsing time )"
            R"("2020-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as )"
            R"(".000000")");
}

TEST_F(Values, ObjectsThatComeTwiceAreMerged) {
  const Answer json = post(kConfigMaps, R"({"metadata":{"name":"a","labels":{"x":"1"}},)"
                                        R"("data":{"a":"1","b":"2"},"data":{"b":"3","c":"4"},)"
                                        R"("metadata":{"labels":{"y":"2"}}})");
  EXPECT_EQ(json.at({"metadata", "labels"}), R"({"x":"1","y":"2"})") << json.body;
  EXPECT_EQ(json.at({"data"}), R"({"a":"1","b":"3","c":"4"})");
  EXPECT_THAT(json.header("warning"), HasSubstr("duplicate field"));
}

TEST_F(Values, IntegersAreWrittenAsIntegers) {
  const std::string cannot = R"(ConfigMap in version "v1" cannot be handled as a ConfigMap: json: )"
                             "cannot unmarshal ";
  EXPECT_EQ(
      refusal(R"({"metadata":{"name":"a","generation":1.5}})"),
      cannot + "number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64");
  EXPECT_EQ(refusal(R"({"metadata":{"name":"a","generation":"1"}})"),
            cannot + "string into Go struct field ObjectMeta.metadata.generation of type int64");
  expect_status(post(kConfigMaps, R"({"metadata":{"name":"a","generation":1.0}})"), 400,
                "BadRequest");
  EXPECT_EQ(yaml(kConfigMaps, "metadata: {name: a, generation: 1.0}").status, 201)
      << "YAML has no integers of its own";
}

TEST_F(Values, BodiesThatCanNotBeReadAreSummarized) {
  const std::string begin = "the object provided is unrecognized (must be of type ConfigMap): ";
  const std::string kind = begin + "couldn't get version/kind; json parse error: ";
  EXPECT_EQ(refusal(""), kind + "unexpected end of JSON input (<empty>)");
  EXPECT_EQ(refusal("{"), kind + "unexpected end of JSON input ({)");
  EXPECT_EQ(refusal(R"({"metadata":{"name":"a"}} x)"),
            kind + R"(invalid character 'x' after top-level value ({"metadata":{"name":"a"}} x))");
  EXPECT_EQ(
      refusal("[]"),
      kind + R"(json: cannot unmarshal array into Go value of type struct { APIVersion string )"
             R"("json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" } (5b5d))");
  EXPECT_EQ(
      refusal(R"({"kind":5})"),
      kind +
          R"(json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5}))");
  EXPECT_EQ(refusal(R"({"apiVersion":"a/b/c"})"),
            begin + R"(unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"}))");
  expect_status(post(kConfigMaps, "null"), 422, "Invalid");
}

TEST_F(Values, TheFirstDocumentOfAYamlBodyCounts) {
  const Answer made = yaml(kConfigMaps, "metadata: {name: a}\n---\nmetadata: {name: b}\n");
  EXPECT_EQ(made.at({"metadata", "name"}), "a") << made.body;
  EXPECT_EQ(get(std::string(kConfigMaps) + "/b").status, 404);
}

}  // namespace
}  // namespace kube::apiserver::test
