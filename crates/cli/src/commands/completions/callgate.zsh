#compdef callgate
# Completes callgate in zsh: commands, flags, profiles and files, tools, arguments and their values.
_callgate() {
    local -a told open open_told ended ended_told
    local line text lead kept
    local program=${(Q)words[1]/#\~\//$HOME/}
    told=("${(@f)$("$program" complete zsh -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    local kind=$told[1]
    shift told
    if [[ $kind == files ]]; then
        lead=$told[1]
        shift 2 told
    fi
    for line in $told; do
        text=${line%%$'\t'*}
        if [[ $text == *= ]]; then
            open+=("$text")
            open_told+=("$text  ${line#*$'\t'}")
        else
            ended+=("$text")
            ended_told+=("$text  ${line#*$'\t'}")
        fi
    done
    (( $#open )) && compadd -l -S '' -V arguments -d open_told -a open
    (( $#ended )) && compadd -l -V words -d ended_told -a ended
    if [[ $kind == files ]]; then
        [[ -n $lead ]] && compset -P "${(b)lead}"
        _files
    fi
}
if [[ ${funcstack[1]} == _callgate ]]; then
    _callgate "$@"
else
    compdef _callgate callgate
fi
