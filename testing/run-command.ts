/** Runs commands of the command line in this process, against the app of a test. */
import { runCli } from '../src/app/cli.ts'
import { type MemoryIo, memoryIo } from './memory-io.ts'

type Target = {
  readonly app: { readonly fetch: (request: Request) => Response | Promise<Response> }
  /** The API key of the caller. */
  readonly key: string
}

export const runCommand = async ({ app, key }: Target, options: MemoryIo) => {
  const { io, out, err } = memoryIo({
    env: { PLAT_URL: 'http://plat.test', PLAT_TOKEN: key },
    fetch: async (url, init) => app.fetch(new Request(url, init)),
    ...options,
  })
  return { code: await runCli(io), out: out(), err: err() }
}
