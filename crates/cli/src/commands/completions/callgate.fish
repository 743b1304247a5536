# Completes callgate in fish: commands, flags, profiles and files, tools, arguments and their values.
function __callgate_complete
    set -l words (commandline -opc)
    set -l told ($words[1] complete fish -- $words (commandline -ct) 2>/dev/null)
    set -l kind $told[1]
    set -e told[1]
    if test "$kind" = files
        set -l lead $told[1]
        set -l path $told[2]
        set -e told[1..2]
        for file in (__fish_complete_path "$path")
            printf '%s\n' "$lead$file"
        end
    end
    if set -q told[1]
        printf '%s\n' $told
    end
end
complete -c callgate -f -k -a '(__callgate_complete)'
