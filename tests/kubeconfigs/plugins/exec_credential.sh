# shellcheck shell=sh
# For the programs beside this file: prints an ExecCredential of the version that the client asks for, with the token
# of a file of the user's home. It is wrong to ask one for another version than the kubeconfig has.
print_credential() { # API_VERSION FILE
  asked=$(printf '%s' "$KUBERNETES_EXEC_INFO" | sed -n 's/^{"kind":"ExecCredential","apiVersion":"\([^"]*\)",.*/\1/p')
  if [ "$asked" != "client.authentication.k8s.io/$1" ]; then
    echo "unexpected KUBERNETES_EXEC_INFO: $KUBERNETES_EXEC_INFO" >&2
    exit 1
  fi
  expires=$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ)
  printf '{"kind": "ExecCredential", "apiVersion": "%s", "spec": {"interactive": false}, ' "$asked"
  printf '"status": {"expirationTimestamp": "%s", "token": "%s"}}\n' "$expires" "$(cat "$HOME/$2")"
}
