// SPDX-License-Identifier: Apache-2.0
//
// Wrong kubeconfigs, what the library says of each, and what kubectl says.
#pragma once

namespace kube::kubeconfig {

struct WrongKubeconfig {
  const char* what;
  const char* text;
  const char* message;  ///< The library's, of a file F.
  const char* kubectl;  ///< What `kubectl get pods` prints, of release 1.37, without its log.
};

/// kubectl says nothing of the file, and asks another server.
inline constexpr const char* kOtherServer =
    "The connection to the server localhost:8080 was refused - did you specify the right host or "
    "port?";

// The beginning of a file whose line 4 is the cluster and line 5 the user.
#define KUBE_TEST_CONTEXT \
  "current-context: c\n"  \
  "contexts:\n"           \
  "- {name: c, context: {cluster: k, user: u}}\n"
#define KUBE_TEST_SERVER "clusters: [{name: k, cluster: {server: 'https://127.0.0.1:1'}}]\n"

/// What reading shows.
inline constexpr WrongKubeconfig kWrong[] = {
    {"not YAML", "clusters: [\n", "F: yaml: line 2: found unexpected end of stream",
     "error: error loading config file \"F\": yaml: line 1: did not find expected node content"},
    {"a binary file",
     "\x7f"
     "ELF\x02",
     "F: expected YAML or JSON, got a control character at offset 4",
     "error: error loading config file \"F\": yaml: control characters are not allowed"},
    {"a list", "- name: k\n", "F: line 1: the document: expected a map, got array",
     "error: error loading config file \"F\": couldn't get version/kind; json parse error: json: "
     "cannot unmarshal array into Go value of type struct { APIVersion string "
     "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }"},
    {"another kind", "apiVersion: apps/v1\nkind: Deployment\n",
     "F: line 1: apiVersion: expected \"v1\", got \"apps/v1\"\n"
     "F: line 2: kind: expected \"Config\", got \"Deployment\"",
     "error: error loading config file \"F\": no kind \"Deployment\" is registered for version "
     "\"apps/v1\" in scheme \"pkg/runtime/scheme.go:111\""},
    {"maps in place of lists", "clusters: {k: {}}\nusers: secret\ncontexts: 5\n",
     "F: line 1: clusters: expected a list, got object\n"
     "F: line 2: users: expected a list, got string\n"
     "F: line 3: contexts: expected a list, got number",
     "error: error loading config file \"F\": json: cannot unmarshal object into Go struct field "
     "Config.clusters of type []v1.NamedCluster"},
    {"wrong types of fields",
     "clusters:\n- name: k\n  cluster:\n    server: 1.5\n    disable-compression: 'secret'\n"
     "users:\n- name: u\n  user:\n    token: 123456\n    as-groups: secret\n    exec:\n"
     "      command: x\n      env: [secret]\n      provideClusterInfo: 'no'\n",
     "F: line 4: clusters[0].cluster.server: expected a string, got number\n"
     "F: line 5: clusters[0].cluster.disable-compression: expected a boolean, got string\n"
     "F: line 9: users[0].user.token: expected a string, got number\n"
     "F: line 10: users[0].user.as-groups: expected a list, got string\n"
     "F: line 13: users[0].user.exec.env[0]: expected a map, got string\n"
     "F: line 14: users[0].user.exec.provideClusterInfo: expected a boolean, got string",
     "error: error loading config file \"F\": json: cannot unmarshal string into Go struct field "
     "Cluster.clusters.cluster.disable-compression of type bool"},
    {"data that is not base64",
     "clusters: [{name: k, cluster: {certificate-authority-data: '-----BEGIN'}}]\n"
     "users: [{name: u, user: {client-key-data: '*secret', client-certificate-data: '!'}}]\n",
     "F: line 1: clusters[0].cluster.certificate-authority-data: expected base64\n"
     "F: line 2: users[0].user.client-certificate-data: expected base64\n"
     "F: line 2: users[0].user.client-key-data: expected base64",
     "error: error loading config file \"F\": illegal base64 data at input byte 0"},
    {"duplicate names", "users:\n- name: u\n- name: v\n- name: u\n",
     "F: line 4: users[2].name: duplicate name \"u\" in list",
     "error: error loading config file \"F\": error converting *[]NamedAuthInfo into "
     "*map[string]*api.AuthInfo: duplicate name \"u\" in list: [{u { []  []     [] map[]   <nil> "
     "<nil> []}} {v { []  []     [] map[]   <nil> <nil> []}} {u { []  []     [] map[]   <nil> "
     "<nil> []}}]"},
    {"no context chosen", "contexts: [{name: a}, {name: b}]\n",
     "F: current-context: no context chosen: current-context is not set; contexts: a, b",
     kOtherServer},
    {"an unknown context", "current-context: gone\ncontexts: [{name: a}]\n",
     "F: line 1: current-context: context was not found for specified context: gone; contexts: a",
     "Error in configuration: context was not found for specified context: gone"},
    {"a context of unknown entries", KUBE_TEST_CONTEXT,
     "invalid configuration:\n"
     "F: line 3: contexts[0].context.user: user \"u\" was not found for context \"c\"\n"
     "F: line 3: contexts[0].context.cluster: cluster \"k\" was not found for context \"c\"",
     kOtherServer},
    {"a context without a cluster, in a wrong namespace",
     "current-context: c\ncontexts:\n- name: c\n  context:\n    namespace: My_NS\n",
     "invalid configuration:\n"
     "F: line 4: contexts[0].context.cluster: cluster was not specified for context \"c\"\n"
     "F: line 5: contexts[0].context.namespace: namespace \"My_NS\" for context \"c\" does not "
     "conform to the kubernetes DNS_LABEL rules",
     kOtherServer},
    {"a cluster without a server", KUBE_TEST_CONTEXT "clusters: [{name: k}]\nusers: [{name: u}]\n",
     "invalid configuration: F: line 4: clusters[0].cluster.server: no server found for cluster "
     "\"k\"",
     kOtherServer},
    {"a proxy of another scheme",
     KUBE_TEST_CONTEXT
     "clusters: [{name: k, cluster: {server: h, proxy-url: 'ftp://me:secret@p'}}]\n"
     "users: [{name: u}]\n",
     "invalid configuration: F: line 4: clusters[0].cluster.proxy-url: invalid 'proxy-url' "
     "\"ftp://***@p\" for cluster \"k\": unsupported scheme \"ftp\", must be http, https, or "
     "socks5",
     "error: invalid 'proxy-url' \"ftp://me:secret@p\" for cluster \"k\": unsupported scheme "
     "\"ftp\", must be http, https, or socks5"},
    {"a CA in two forms, one of which is not there",
     KUBE_TEST_CONTEXT "clusters: [{name: k, cluster: {server: h, certificate-authority: /none,\n"
                       "    certificate-authority-data: Q0E=}}]\nusers: [{name: u}]\n",
     "invalid configuration:\n"
     "F: line 5: clusters[0].cluster.certificate-authority-data: certificate-authority-data and "
     "certificate-authority are both specified for k. certificate-authority-data will override.\n"
     "F: line 4: clusters[0].cluster.certificate-authority: unable to read certificate-authority "
     "/none for k due to /none: No such file or directory",
     "Error in configuration: \n"
     "* certificate-authority-data and certificate-authority are both specified for k. "
     "certificate-authority-data will override.\n"
     "* unable to read certificate-authority /none for k due to open /none: no such file or "
     "directory"},
    {"a client certificate without a key",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER "users: [{name: u, user: {client-certificate: /none}}]\n",
     "invalid configuration:\n"
     "F: line 5: users[0].user.client-certificate: client-key-data or client-key must be specified "
     "for u to use the clientCert authentication method.\n"
     "F: line 5: users[0].user.client-certificate: unable to read client-cert /none for u due to "
     "/none: No such file or directory",
     "Error in configuration: \n"
     "* client-key-data or client-key must be specified for u to use the clientCert authentication "
     "method.\n"
     "* unable to read client-cert /none for u due to open /none: no such file or directory"},
    {"client certificate and key in two forms",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER
     "users:\n- name: u\n  user:\n    client-certificate: /none/c\n    client-key: /none/k\n"
     "    client-certificate-data: c2VjcmV0\n    client-key-data: c2VjcmV0\n",
     "invalid configuration:\n"
     "F: line 10: users[0].user.client-certificate-data: client-cert-data and client-cert are both "
     "specified for u. client-cert-data will override.\n"
     "F: line 11: users[0].user.client-key-data: client-key-data and client-key are both specified "
     "for u; client-key-data will override\n"
     "F: line 8: users[0].user.client-certificate: unable to read client-cert /none/c for u due to "
     "/none/c: No such file or directory\n"
     "F: line 9: users[0].user.client-key: unable to read client-key /none/k for u due to /none/k: "
     "No such file or directory",
     "Error in configuration: \n"
     "* client-cert-data and client-cert are both specified for u. client-cert-data will "
     "override.\n"
     "* client-key-data and client-key are both specified for u; client-key-data will override\n"
     "* unable to read client-cert /none/c for u due to open /none/c: no such file or directory\n"
     "* unable to read client-key /none/k for u due to open /none/k: no such file or directory"},
    {"a token and a password",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER
     "users: [{name: u, user: {token: secret, username: me, password: secret}}]\n",
     "invalid configuration: F: line 5: users[0].user.token: more than one authentication method "
     "found for u; found [token basicAuth], only one is allowed",
     "error: more than one authentication method found for u; found [token basicAuth], only one is "
     "allowed"},
    {"an exec plugin without anything, and an auth provider",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER
     "users:\n- name: u\n  user:\n    exec:\n      env:\n      - value: secret\n"
     "    auth-provider: {name: oidc, config: {id-token: secret}}\n",
     "invalid configuration:\n"
     "F: line 11: users[0].user.auth-provider: authProvider cannot be provided in combination with "
     "an exec plugin for u\n"
     "F: line 8: users[0].user.exec.command: command must be specified for u to use exec "
     "authentication plugin\n"
     "F: line 8: users[0].user.exec.apiVersion: apiVersion must be specified for u to use exec "
     "authentication plugin\n"
     "F: line 10: users[0].user.exec.env[0].name: env variable name must be specified for u to use "
     "exec authentication plugin\n"
     "F: line 8: users[0].user.exec.interactiveMode: interactiveMode must be specified for u to "
     "use exec authentication plugin",
     "Error in configuration: \n"
     "* authProvider cannot be provided in combination with an exec plugin for u\n"
     "* command must be specified for u to use exec authentication plugin\n"
     "* apiVersion must be specified for u to use exec authentication plugin\n"
     "* env variable name must be specified for u to use exec authentication plugin\n"
     "* interactiveMode must be specified for u to use exec authentication plugin"},
    {"an unknown interactive mode",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER
     "users:\n- name: u\n  user:\n    exec:\n      command: x\n"
     "      apiVersion: client.authentication.k8s.io/v1\n      interactiveMode: Sometimes\n",
     "invalid configuration: F: line 11: users[0].user.exec.interactiveMode: invalid "
     "interactiveMode for u: \"Sometimes\", must be Never, IfAvailable or Always",
     "error: invalid interactiveMode for u: \"Sometimes\""},
    {"groups without a user to impersonate",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER "users: [{name: u, user: {as-groups: [g]}}]\n",
     "invalid configuration: F: line 5: users[0].user: requesting uid, groups or user-extra for u "
     "without impersonating a user",
     "error: requesting uid, groups or user-extra for u without impersonating a user"},
    {"a token file that is not there",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER "users: [{name: u, user: {tokenFile: /none/t}}]\n",
     "invalid configuration: F: line 5: users[0].user.tokenFile: /none/t: No such file or "
     "directory",
     "error: open /none/t: no such file or directory"},
    {"a server of another scheme",
     KUBE_TEST_CONTEXT "clusters: [{name: k, cluster: {server: 'ftp://h'}}]\nusers: [{name: u}]\n",
     "invalid configuration: F: line 4: clusters[0].cluster.server: host has the scheme \"ftp\"; "
     "expected http or https",
     "Unable to connect to the server: unsupported protocol scheme \"ftp\""},
    {"a server with a port that does not exist",
     KUBE_TEST_CONTEXT "clusters: [{name: k, cluster: {server: "
                       "'https://127.0.0.1:99999'}}]\nusers: [{name: u, user: {token: secret}}]\n",
     "invalid configuration: F: line 4: clusters[0].cluster.server: host must be a URL or a "
     "host:port "
     "pair: the port is not a number up to 65535",
     "Unable to connect to the server: dial tcp: address 99999: invalid port"},
    {"a server with a password",
     KUBE_TEST_CONTEXT
     "clusters: [{name: k, cluster: {server: 'https://me:secret@127.0.0.1:1'}}]\nusers: [{name: u, "
     "user: {token: secret}}]\n",
     "invalid configuration: F: line 4: clusters[0].cluster.server: host must not hold a user and "
     "password; set username and password instead",
     "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or "
     "port?"},
    {"a CA that is not used",
     KUBE_TEST_CONTEXT
     "clusters: [{name: k, cluster: {server: 'https://127.0.0.1:1', insecure-skip-tls-verify: "
     "true,\n"
     "    certificate-authority-data: c2VjcmV0}}]\nusers: [{name: u, user: {token: secret}}]\n",
     "invalid configuration: F: line 4: clusters[0].cluster.insecure-skip-tls-verify: specifying a "
     "root certificates file with the insecure flag is not allowed",
     "error: specifying a root certificates file with the insecure flag is not allowed"},
    {"an exec plugin of a version that was removed",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER "users:\n- name: u\n  user:\n    exec:\n      command: x\n"
                                        "      apiVersion: client.authentication.k8s.io/v1alpha1\n",
     "invalid configuration: F: line 10: users[0].user.exec.apiVersion: invalid apiVersion "
     "\"client.authentication.k8s.io/v1alpha1\"; expected client.authentication.k8s.io/v1 or "
     "client.authentication.k8s.io/v1beta1",
     "error: exec plugin: invalid apiVersion \"client.authentication.k8s.io/v1alpha1\""},
    {"a token of two lines",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER "users: [{name: u, user: {token: \"secret\\nsecret\"}}]\n",
     "invalid configuration: F: line 5: users[0].user.token: the bearer token contains a line "
     "break "
     "or control character",
     "Unable to connect to the server: net/http: invalid header field value for \"Authorization\""},
    {"several that were found one after the other",
     KUBE_TEST_CONTEXT
     "clusters: [{name: k, cluster: {server: 'ftp://h', proxy-url: 'ftp://p'}}]\n"
     "users: [{name: u, user: {as-uid: '1', exec: {command: x, interactiveMode: Never,\n"
     "    apiVersion: client.authentication.k8s.io/v1alpha1}}}]\n",
     "invalid configuration:\n"
     "F: line 4: clusters[0].cluster.server: host has the scheme \"ftp\"; expected http or https\n"
     "F: line 4: clusters[0].cluster.proxy-url: invalid 'proxy-url' \"ftp://p\" for cluster \"k\": "
     "unsupported scheme \"ftp\", must be http, https, or socks5\n"
     "F: line 6: users[0].user.exec.apiVersion: invalid apiVersion "
     "\"client.authentication.k8s.io/v1alpha1\"; expected client.authentication.k8s.io/v1 or "
     "client.authentication.k8s.io/v1beta1\n"
     "F: line 5: users[0].user: requesting uid, groups or user-extra for u without impersonating a "
     "user",
     "Error in configuration: \n"
     "* requesting uid, groups or user-extra for u without impersonating a user\n"
     "* invalid 'proxy-url' \"ftp://p\" for cluster \"k\": unsupported scheme \"ftp\", must be "
     "http, https, or socks5"},
    {"nothing", "# not yet\n",
     "invalid configuration: no configuration has been provided: F has no cluster, user, context "
     "or current-context",
     kOtherServer},
};

/// What the use of a field shows.
inline constexpr WrongKubeconfig kUnusable[] = {
    {"a CA and a certificate that are not PEM",
     KUBE_TEST_CONTEXT "clusters: [{name: k, cluster: {server: 'https://127.0.0.1:1', "
                       "certificate-authority-data: c2VjcmV0}}]\n"
                       "users:\n- name: u\n  user:\n    client-key-data: c2VjcmV0\n"
                       "    client-certificate-data: c2VjcmV0\n",
     "F: line 4: clusters[0].cluster.certificate-authority-data: the CA data contains no PEM "
     "certificate\n"
     "F: line 9: users[0].user.client-certificate-data: the client certificate data contains no "
     "PEM "
     "certificate",
     "error: unable to load root certificates: unable to parse bytes as PEM block"},
    {"an auth provider that was removed",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER
     "users: [{name: u, user: {auth-provider: {name: gcp, config: {access-token: secret}}}}]\n",
     "F: line 5: users[0].user.auth-provider.name: The gcp auth plugin has "
     "been removed.\nPlease use the \"gke-gcloud-auth-plugin\" kubectl/client-go credential plugin "
     "instead.\nSee https://cloud.google.com/blog/products/containers-kubernetes/"
     "kubectl-auth-changes-in-gke for further details",
     "error: The gcp auth plugin has been removed.\n"
     "Please use the \"gke-gcloud-auth-plugin\" kubectl/client-go credential plugin instead.\n"
     "See https://cloud.google.com/blog/products/containers-kubernetes/kubectl-auth-changes-in-gke "
     "for further details"},
    {"OIDC without an issuer",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER
     "users:\n- name: u\n  user:\n    auth-provider:\n      name: oidc\n"
     "      config: {id-token: secret}\n",
     "F: line 10: users[0].user.auth-provider.config: Must provide "
     "idp-issuer-url",
     "error: Must provide idp-issuer-url"},
};

#undef KUBE_TEST_CONTEXT
#undef KUBE_TEST_SERVER

}  // namespace kube::kubeconfig
