/** The completion scripts for shells. They call `plat __complete`, so they know every command of this program. */

// COMP_WORDBREAKS splits at = and :, so the words are read from the line again (IPv6, --flag=value).
const BASH = `# bash completion for plat: source <(plat completion bash)
_plat() {
  local line=\${COMP_LINE:0:COMP_POINT} word cur candidate prefix
  local -a words=()
  COMPREPLY=()
  local IFS=$' \\t\\n'
  # Without -r, so that the backslashes that a completed name was quoted with are gone.
  read -a words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  ((\${#words[@]} > 1)) || return 0
  cur=\${words[\${#words[@]} - 1]}
  # What readline takes for the word, and replaces.
  IFS= read word <<<"\${COMP_WORDS[COMP_CWORD]}"
  case $word in *[!=:]*) ;; *) word= ;; esac
  prefix=\${cur%"$word"}
  while IFS= read -r candidate; do
    if [[ $candidate == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "$word")
      return 0
    fi
    COMPREPLY+=("$(printf '%q' "\${candidate:\${#prefix}}")")
  done < <("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _plat plat
`

const ZSH = `#compdef plat
# zsh completion for plat: source <(plat completion zsh)
_plat() {
  local -a candidates
  candidates=("\${(@f)$("\${words[1]}" __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${candidates[1]}" == ":files" ]]; then
    _files
  elif [[ -n "\${candidates[1]}" ]]; then
    compadd -- "\${candidates[@]}"
  fi
}
if [[ "$funcstack[1]" == "_plat" ]]; then
  _plat "$@"
else
  compdef _plat plat
fi
`

const FISH = `# fish completion for plat: plat completion fish | source
function __plat_complete
    set -l tokens (commandline -opc)
    set -l current (commandline -ct)
    set -l found ($tokens[1] __complete -- $tokens[2..-1] "$current" 2>/dev/null)
    if test "$found[1]" = ":files"
        __fish_complete_path "$current"
    else
        string join \\n -- $found
    end
end
complete -c plat -f -a '(__plat_complete)'
`

export const SHELLS = ['bash', 'zsh', 'fish'] as const

export const getCompletionScript = (shell: (typeof SHELLS)[number]): string =>
  ({ bash: BASH, zsh: ZSH, fish: FISH })[shell]
