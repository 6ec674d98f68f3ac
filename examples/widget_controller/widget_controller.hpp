// SPDX-License-Identifier: Apache-2.0
//
// A controller of a custom resource: it counts the parts of each Widget and says in its status that
// it is ready.
//
// What it shows: types generated from the project's own widgets.yaml (kube_generate in
// CMakeLists.txt), installing the definition, an informer and typed reads and writes of them.
#pragma once

#include <stop_token>
#include <string_view>

#include <acme/v1/widget.hpp>

#include <kube/cache/shared_informer.hpp>
#include <kube/client/client.hpp>
#include <kube/controller/controller.hpp>

namespace example {

/// Creates the definition in a text of YAML, if it isn't there, and waits until the server serves
/// it.
kube::Result<void> install_definition(const kube::Client& client, std::string_view yaml,
                                      std::stop_token stop = {});

class WidgetController {
 public:
  explicit WidgetController(kube::Client client);

  kube::Result<void> start();
  void stop();

  const kube::SharedInformer<acme::v1::Widget>& widgets() const { return widgets_; }

 private:
  kube::Result<kube::ReconcileResult> reconcile(const kube::ReconcileRequest& request,
                                                std::stop_token stop);

  kube::Client client_;
  kube::SharedInformer<acme::v1::Widget> widgets_;
  kube::Controller controller_;
};

}  // namespace example
