/** Ends this process with its parent. A filter that runs for long would not notice that the pipe is closed. */
import { dlopen } from 'bun:ffi'
import { readlinkSync } from 'node:fs'

const LIBRARIES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']
const PR_SET_PDEATHSIG = 1
const SIGKILL = 9n
/** The value of `EXIT.cut`: the server has ended. */
const EXIT_CUT = 4

/** True if the parent ended before it could be watched. In a container the server may be process 1: then both are one program. */
const isOrphan = (): boolean => {
  if (process.ppid !== 1) return false
  try {
    return readlinkSync('/proc/1/exe') !== readlinkSync('/proc/self/exe')
  } catch {
    // Process 1 is of another user, so it is not the server.
    return true
  }
}

/** Only Linux has this. Elsewhere the process ends after its rendering. */
export const endWithParent = (): void => {
  if (process.platform !== 'linux') return
  for (const name of LIBRARIES) {
    try {
      const { symbols } = dlopen(name, { prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' } })
      symbols.prctl(PR_SET_PDEATHSIG, SIGKILL, 0n, 0n, 0n)
      break
    } catch {
      // Not this C library.
    }
  }
  if (isOrphan()) process.exit(EXIT_CUT)
}
