// SPDX-License-Identifier: Apache-2.0
#include "completion_command.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

#include <kube/names/go_text.hpp>

#include "flags.hpp"

namespace kubecpp {
namespace {

// NAME is the program, FUNCTION a name for functions. Bash splits words at "=" and ":", which are
// joined again: words are separate only where the line has a blank between them.
constexpr std::string_view kBash = R"sh(# Completion of NAME for bash; needs no other package.
#   source <(NAME completion bash)

FUNCTION() {
  local line=$COMP_LINE word i words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i == 0)) || [[ $line == [[:space:]]* ]]; then
      line=${line#"${line%%[![:space:]]*}"}
      words+=("$word")
    else
      words[${#words[@]} - 1]+=$word
    fi
    line=${line#"$word"}
  done
  local typed=${words[${#words[@]} - 1]} piece=${COMP_WORDS[COMP_CWORD]} flag=
  [[ $piece == [=:] ]] && piece=
  local kept=${typed%"$piece"}
  [[ $typed == --*=* ]] && flag=${typed%%=*}=

  local found directive
  found=$("${words[0]/#\~/$HOME}" __completeNoDesc "${words[@]:1}" 2>/dev/null) || return
  directive=${found##*:}
  COMPREPLY=()
  while IFS= read -r word; do
    [[ -z $word || $word == :* ]] && continue
    word=$flag$word
    printf -v word %q "${word#"$kept"}"
    COMPREPLY+=("$word")
  done <<<"$found"
  ((directive & 2)) && compopt -o nospace 2>/dev/null
  ((directive & 4)) && compopt +o default 2>/dev/null
  return 0
}

complete -o default -F FUNCTION NAME
)sh";

constexpr std::string_view kZsh = R"sh(#compdef NAME
# Completion of NAME for zsh.
#   source <(NAME completion zsh)

FUNCTION() {
  local -a lines found options
  local line directive=0
  lines=("${(@f)$(${(Q)words[1]} __complete ${(Q)words[2,CURRENT]} 2>/dev/null)}")
  for line in $lines; do
    if [[ $line == :* ]]; then
      directive=${line#:}
    elif [[ -n $line ]]; then
      found+=("${${line%%$'\t'*}//:/\\:}${${(M)line%$'\t'*}:+:${line#*$'\t'}}")
    fi
  done
  ((directive & 2)) && options=(-S '')
  [[ $words[CURRENT] == --*=* ]] && compset -P '*='
  if (($#found)); then
    _describe 'NAME' found $options
  elif ((!(directive & 4))); then
    _files
  fi
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  FUNCTION "$@"
else
  compdef FUNCTION NAME
fi
)sh";

constexpr std::string_view kFish = R"sh(# Completion of NAME for fish.
#   NAME completion fish | source

function FUNCTION
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  set -l found ($words[1] __complete $words[2..-1] $typed 2>/dev/null)
  set -l directive (string replace ':' '' -- $found[-1])
  set -e found[-1]
  if test (count $found) -eq 0
    if test "$directive" = 0
      __fish_complete_path $typed
    end
    return
  end
  for line in $found
    if string match -q -- '--*=*' $typed
      echo (string replace -r '=.*' '=' -- $typed)$line
    else
      echo $line
    end
  end
end

complete -c NAME -f -a '(FUNCTION)'
)sh";

struct ShellScript {
  const char* shell;
  std::string_view text;
};
constexpr ShellScript kScripts[] = {{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};

void replace_word(std::string& text, std::string_view word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
}

// Returns kubectl's words for arguments that are not one shell; "" for one.
std::string wrong_shell(const std::vector<std::string>& words) {
  if (words.empty()) return "Shell not specified.";
  if (words.size() > 1) return "Too many arguments. Expected only the shell type.";
  const auto is_it = [&](const ShellScript& each) { return each.shell == words.front(); };
  if (std::ranges::any_of(kScripts, is_it)) return {};
  return "Unsupported shell type " + kube::go::quote(words.front()) + ".";
}

}  // namespace

std::vector<std::string> shells() {
  std::vector<std::string> names;
  for (const ShellScript& each : kScripts) names.emplace_back(each.shell);
  return names;
}

std::string completion_script(const std::string& shell, const std::string& program) {
  std::string function = "_" + program + "_completion";
  std::replace_if(
      function.begin(), function.end(),
      [](char c) { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9'); },
      '_');
  for (const ShellScript& each : kScripts) {
    if (each.shell != shell) continue;
    std::string text(each.text);
    replace_word(text, "FUNCTION", function);
    replace_word(text, "NAME", program);
    return text;
  }
  return {};
}

Runner add_completion(CLI::App& command) {
  const auto words = std::make_shared<std::vector<std::string>>();
  command.add_option("shell", *words, "The shell: bash, zsh or fish");
  return [words, &command](Output& out) {
    if (const std::string wrong = wrong_shell(*words); !wrong.empty())
      return report(usage_error_of("completion", wrong));
    std::string program = command.get_parent()->get_name();
    std::replace(program.begin(), program.end(), ' ', '-');  // a plugin's file
    out.write(completion_script(words->front(), program));
    return out.exit_status(0);
  };
}

}  // namespace kubecpp
