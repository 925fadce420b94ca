# SPDX-License-Identifier: MIT
# Completion of the command cupipe for bash.

_cupipe() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} i
    # settings: made by scripts/variables.py, do not edit
    local settings="--devices --gpu --driver --memory --topology --threads --schedule --fail --check --trace --profile --capture-range --log"
    # end of settings
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "run info env doctor trace profile cache conformance smi objdump toolkit rebuild help version
            --help --version" -- "$word")
        return
    fi
    case $before in
    # values: made by scripts/variables.py, do not edit
    --gpu) mapfile -t COMPREPLY < <(compgen -W "$(cupipe info --gpus 2>/dev/null | cut -d' ' -f1)" -- "$word"); return ;;
    --driver) mapfile -t COMPREPLY < <(compgen -W "12.0 12.1 12.2 12.3 12.4 12.5 12.6 12.7 12.8 12.9 13.0 13.1 13.2 13.3 13.4" -- "$word"); return ;;
    --topology) mapfile -t COMPREPLY < <(compgen -W "all none pairs" -- "$word"); return ;;
    --schedule) mapfile -t COMPREPLY < <(compgen -W "eager lazy random:" -- "$word"); return ;;
    --check) mapfile -t COMPREPLY < <(compgen -W "all memory leaks init races sync streams memory,leaks" -- "$word"); return ;;
    --capture-range) mapfile -t COMPREPLY < <(compgen -W "program profiler" -- "$word"); return ;;
    --log) mapfile -t COMPREPLY < <(compgen -W "none error warning info debug" -- "$word"); return ;;
    --trace | --profile) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --devices | --memory | --threads | --fail) return ;;
    # end of values
    --svg) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    esac
    case ${COMP_WORDS[1]} in
    run)
        # The program is the first word that is neither an option nor the value of one; what follows is its own.
        for ((i = 2; i < COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in
            --force | --gdb | --python | --*=*) ;;
            --) break ;;
            --*) ((i++)) ;;
            *) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
            esac
        done
        case $word in
        -*) mapfile -t COMPREPLY < <(compgen -W "$settings --force --gdb --python" -- "$word") ;;
        *) mapfile -t COMPREPLY < <(compgen -c -- "$word"; compgen -f -- "$word") ;;
        esac
        ;;
    env) mapfile -t COMPREPLY < <(compgen -W "$settings --python" -- "$word") ;;
    info) mapfile -t COMPREPLY < <(compgen -W "--json --gpus" -- "$word") ;;
    doctor) mapfile -t COMPREPLY < <(compgen -c -- "$word"; compgen -f -- "$word") ;;
    cache)
        if [ "$COMP_CWORD" -eq 2 ]; then
            mapfile -t COMPREPLY < <(compgen -W "clear warm" -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        fi
        ;;
    trace)
        case $word in
        -*) mapfile -t COMPREPLY < <(compgen -W "--svg --merge --since --width --calls --timeline" -- "$word") ;;
        *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        esac
        ;;
    profile)
        case $word in
        -*) mapfile -t COMPREPLY < <(compgen -W "--lines --counts --roofline --flame --svg --times --kernel --measure" -- "$word") ;;
        *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        esac
        ;;
    rebuild) mapfile -t COMPREPLY < <(compgen -W "cupy xgboost warp cudf cuda-bindings --python --version --source --toolkit
        --work --ptx --jobs --check --help" -- "$word") ;;
    smi) mapfile -t COMPREPLY < <(compgen -W "-L -q -i --json --query-gpu= --query-compute-apps= --format=csv --help-query-gpu
        --help-query-compute-apps --help" -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    esac
}
complete -o filenames -F _cupipe cupipe
