/** Ends this process with its parent. A filter that runs for long would not notice that the pipe is closed. */
import { dlopen } from 'bun:ffi'

const LIBRARIES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']
const PR_SET_PDEATHSIG = 1
const SIGKILL = 9n

/** Only Linux has this. Elsewhere the process ends after its rendering. */
export const endWithParent = (): void => {
  if (process.platform !== 'linux') return
  for (const name of LIBRARIES) {
    try {
      const { symbols } = dlopen(name, { prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' } })
      symbols.prctl(PR_SET_PDEATHSIG, SIGKILL, 0n, 0n, 0n)
      return
    } catch {
      // Not this C library.
    }
  }
}
