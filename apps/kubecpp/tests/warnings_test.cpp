// SPDX-License-Identifier: Apache-2.0
//
// What a server warns of, as people see it.
#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>

#include "program.hpp"
#include "warning_printer.hpp"

namespace kubecpp {
namespace {

constexpr const char* kOldWidgets = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    deprecated: true
    deprecationWarning: widgets are of yesterday
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
)";

TEST(Warnings, AreOnStandardErrorOnceARun) {
  const auto server = kube::apiserver::ApiServer::start().value();
  ASSERT_TRUE(server->load_text(kOldWidgets));
  const Outcome outcome =
      run({KUBECPP, "patch", "widget/w", "--type", "merge", "-p", "{}", "--server", server->url()});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "widget.example.com/w patched (no change)\n");
  EXPECT_EQ(outcome.err, "Warning: widgets are of yesterday\n") << "of two requests";
}

TEST(WarningPrinter, EscapesWhatATerminalObeys) {
  WarningPrinter printer;
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) printer.handle_warning_header(299, "-", "red\x1b[31m\nline");
  printer.handle_warning_header(299, "-", "other");
  printer.handle_warning_header(199, "-", "of another code");
  printer.handle_warning_header(299, "-", "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "Warning: red\\x1b[31m\\nline\nWarning: other\n");
}

}  // namespace
}  // namespace kubecpp
