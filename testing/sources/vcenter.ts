/** Starts the simulator of govmomi: a vCenter or an ESXi host of this machine. It ends as the servers of servers.ts do. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { getProgramsFolder } from '../../scripts/go-tools.mjs'
import { freePort, launch, missing, read } from '../servers/servers.ts'

export const VCENTER_SECRETS = { username: 'plat@vsphere.local', password: 's3cret & <plat>' }

export const startVcenter = async (product: 'vpx' | 'esx', copies = 0) => {
  const program = join(getProgramsFolder('sources'), 'vcenter')
  if (!existsSync(program)) missing('the simulator of vCenter')
  const port = await freePort()
  const { stop } = await launch({
    isOwn: true,
    stopSignal: 'KILL',
    // It makes folders for its datastores.
    serve: (dir) => ['env', `TMPDIR=${dir}`, program, `${port}`, product, `${copies}`],
    isReady: (dir) => read(join(dir, 'log')).includes('listens at'),
  })
  return { url: `https://127.0.0.1:${port}`, stop }
}
