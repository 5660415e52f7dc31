/** A Plat with the estate of a NetBox, as a target of the clients of NetBox. */
import { runCli } from '../../../src/app/cli.ts'
import { serverFolder } from '../../app/server-child.ts'
import { memoryIo } from '../../memory-io.ts'
import { fetchRecorded, RECORDED_URL } from '../recorded/recorded.ts'
import { createTarget, type Target } from './run.ts'

export type PlatTarget = Target & {
  /** The address of the server itself. */
  readonly platUrl: string
  /** The address of the API for clients that take no path. */
  readonly hostUrl: string
  readonly stop: () => Promise<void>
}

type Source = { readonly url: string; readonly token: string }

/** Starts a server and imports a NetBox by `plat import netbox URL`: the recorded one unless another is named. */
export const startPlat = async (
  { url, token }: Source = { url: RECORDED_URL, token: 'recorded' },
): Promise<PlatTarget> => {
  const folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false', NETBOX_API_HOSTS: 'localhost' })
  const server = await folder.start()
  const { io, err } = memoryIo({
    argv: ['import', 'netbox', url, '--yes'],
    env: { PLAT_URL: server.url, PLAT_TOKEN: folder.key, NETBOX_TOKEN: token },
    fetch: fetchRecorded,
  })
  if ((await runCli(io)) !== 0) throw new Error(err())
  return {
    ...createTarget({ url: `${server.url}/netbox`, token: folder.key, dir: folder.dir }),
    platUrl: server.url,
    hostUrl: server.url.replace('127.0.0.1', 'localhost'),
    stop: () => folder.remove(),
  }
}
