// SPDX-License-Identifier: Apache-2.0
//
// The examples in the help of the commands.
#include "command_help.hpp"

namespace kubecpp {
namespace {

constexpr CommandExample kExamples[] = {
    {"get", "List all pods of a namespace", "get pods -n web"},
    {"get", "Print the image of a deployment's first container",
     "get deploy front -o jsonpath='{.spec.template.spec.containers[0].image}'"},
    {"get", "Print the pods of an app, then their changes", "get pods -l app=front --watch"},
    {"explain", "Describe the fields of a pod's containers", "explain pods.spec.containers"},
    {"watch", "Print a line for each event of the deployments of all namespaces",
     "watch deployments -A"},
    {"delete", "Delete two pods", "delete pod front-0 front-1"},
    {"delete", "Delete the objects of a file", "delete -f front.yaml"},
    {"rollout", "Wait until a deployment is rolled out", "rollout status deployment/front"},
    {"rollout status", "Wait until a deployment is rolled out", "rollout status deployment/front"},
    {"rollout restart", "Restart the pods of a deployment", "rollout restart deployment/front"},
    {"scale", "Run three pods of a deployment", "scale deployment/front --replicas=3"},
    {"cluster-info", "Print the URLs of the control plane and of cluster services", "cluster-info"},
    {"describe", "Describe a pod with its events", "describe pod front-0"},
    {"logs", "Print the log of a pod and follow it", "logs -f front-0"},
    {"attach", "Attach to the first container of a pod", "attach front-0 -i"},
    {"exec", "Open a shell in a pod", "exec -it front-0 -- sh"},
    {"port-forward", "Forward the local port 8080 to the port 80 of a pod",
     "port-forward pod/front-0 8080:80"},
    {"auth", "Find out whether pods can be deleted", "auth can-i delete pods"},
    {"auth whoami", "Print the user that the server sees", "auth whoami"},
    {"auth whoami", "Print it in JSON", "auth whoami -o json"},
    {"auth can-i", "Find out whether pods can be created in any namespace",
     "auth can-i create pods --all-namespaces"},
    {"auth can-i", "Find out whether a service account can list deployments",
     "auth can-i list deployments.apps --as=system:serviceaccount:dev:foo -n prod"},
    {"auth can-i", "Find out whether logs can be read", "auth can-i get pods --subresource=log"},
    {"auth can-i", "List what is allowed in a namespace", "auth can-i --list -n web"},
    {"diff", "Print what applying a file would change", "diff -f front.yaml"},
    {"apply", "Apply the objects of a file", "apply -f front.yaml"},
    {"apply", "Apply what another program prints", "apply -f -"},
    {"patch", "Change the replicas of a deployment",
     "patch deploy front -p '{\"spec\":{\"replicas\":3}}'"},
    {"wait", "Wait until a pod is ready", "wait --for=condition=Ready pod/front-0"},
    {"label", "Add a label to a pod", "label pod front-0 tier=web"},
    {"annotate", "Add an annotation to a pod", "annotate pod front-0 description='the first'"},
    {"completion", "Complete words in this bash", "completion bash > ~/.kubecpp.bash"},
    {"serve", "Serve pods and deployments of a cluster from a cache", "serve pods,deployments"},
    {"apiserver", "Run an API server for tests", "apiserver --listen 127.0.0.1:8080"},
    {"demo", "Run the demo with 100 pods", "demo --pods 100"},
    {"convert", "Convert an object to JSON", "convert pod.yaml --to json"},
    {"config", "Print the merged kubeconfig without tokens, passwords and keys", "config view"},
    {"config view", "Print what the current context uses", "config view --minify"},
    {"config view", "Print the server of the first cluster",
     "config view -o jsonpath='{.clusters[0].cluster.server}'"},
    {"config get-contexts", "List the names of all contexts", "config get-contexts -o name"},
    {"config get-clusters", "List the clusters", "config get-clusters"},
    {"config get-users", "List the users", "config get-users"},
    {"config current-context", "Print the current context", "config current-context"},
    {"config use-context", "Use another context from now on", "config use-context staging"},
    {"config set", "Set the server of a cluster",
     "config set clusters.staging.server https://10.0.0.1:6443"},
    {"config unset", "Remove a context's namespace", "config unset contexts.staging.namespace"},
    {"config rename-context", "Rename a context", "config rename-context staging old"},
    {"config delete-context", "Delete a context", "config delete-context old"},
    {"config delete-cluster", "Delete a cluster", "config delete-cluster old"},
    {"config delete-user", "Delete a user", "config delete-user old"},
    {"config set-context", "Set the namespace of the current context",
     "config set-context --current --namespace=web"},
    {"config set-cluster", "Add a cluster",
     "config set-cluster staging --server=https://10.0.0.1:6443"},
    {"config set-credentials", "Add a user with a client certificate",
     "config set-credentials me --client-certificate=me.crt --client-key=me.key"},
    {"api-resources", "List the namespaced resources", "api-resources --namespaced"},
    {"api-versions", "List the group versions", "api-versions"},
    {"version", "Print the versions of the program and of the server", "version"},
    {"version", "Print the program's own in JSON", "version --client -o json"},
    {"help", "Print help about a command of a group", "help config view"},
};

}  // namespace

std::span<const CommandExample> all_examples() {
  return kExamples;
}

}  // namespace kubecpp
