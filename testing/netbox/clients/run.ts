/** Runs the clients of NetBox, installed by `npm test`, against a NetBox or a Plat. */
import { join } from 'node:path'
import { getProgramsFolder } from '../../../scripts/go-tools.mjs'
import { netboxClientsFolder } from '../../../scripts/python-tools.mjs'

export type Run = (
  command: readonly [string, ...string[]],
  env?: Readonly<Record<string, string>>,
) => Promise<{ readonly out: string; readonly err: string }>

/** An API that clients take for that of a NetBox. */
export type Target = {
  /** Without `/api`. */
  readonly url: string
  readonly token: string
  /** The folder in which the clients run, which is also their home. */
  readonly dir: string
  /** Runs a program of the clients. @throws Error with its output if it fails */
  readonly run: Run
}

/** The programs of the tests. */
export const program = (name: string): string => join(import.meta.dir, name)
export const goProgram = (name: string): string => join(getProgramsFolder('netbox'), name)

/** Returns the target whose clients run in a folder. */
export const createTarget = ({ url, token, dir }: Omit<Target, 'run'>): Target => ({
  url,
  token,
  dir,
  run: async (command, env = {}) => {
    const child = Bun.spawn([...command], {
      cwd: dir,
      env: {
        PATH: `${netboxClientsFolder}:${process.env.PATH}`,
        HOME: dir,
        LC_ALL: 'C.UTF-8',
        ANSIBLE_NOCOLOR: 'true',
        NETBOX_API: url,
        NETBOX_URL: url,
        NETBOX_TOKEN: token,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    const code = await child.exited
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${out}\n${err}`)
    return { out, err }
  },
})
