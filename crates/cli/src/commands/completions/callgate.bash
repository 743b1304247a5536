# Completes callgate in bash: commands, flags, profiles and files, tools, arguments and their values.
_callgate() {
    local IFS=$'\n' line lead path
    local -a told=()
    local program=$1
    if [[ $program == '~/'* ]]; then program=$HOME/${program:2}; fi
    while read -r line; do
        told+=("$line")
    done < <("$program" complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
    case ${told[0]-} in
        files)
            lead=${told[1]}
            path=${told[2]}
            COMPREPLY=("${told[@]:3}")
            while read -r line; do
                COMPREPLY+=("$lead$line")
            done < <(compgen -f -- "$path")
            compopt -o filenames 2>/dev/null
            ;;
        open)
            COMPREPLY=("${told[@]:1}")
            compopt -o nospace 2>/dev/null
            ;;
        *) COMPREPLY=("${told[@]:1}") ;;
    esac
}
complete -o nosort -F _callgate callgate 2>/dev/null || complete -F _callgate callgate
