/** A scan by the executable on a test network: another host of a known vendor, on a separate link. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { z } from 'zod'
import { BINARY, build, mustRun, type Running, run, serve, signIn, tempFolder } from '../trial.ts'

setDefaultTimeout(300_000)
const [here, there] = [`plat-trial-${process.pid}-a`, `plat-trial-${process.pid}-b`]
const folder = tempFolder()
const inside = (...command: string[]): string[] => ['ip', 'netns', 'exec', here, ...command]
const Found = z.array(z.object({ ip: z.string(), mac_address: z.string(), vendor: z.string() }))
let server: Running | undefined

beforeAll(async () => {
  await build()
  for (const name of [here, there]) await mustRun(['ip', 'netns', 'add', name])
  await mustRun(['ip', '-n', here, 'link', 'add', 'va', 'type', 'veth', 'peer', 'name', 'vb', 'netns', there])
  await mustRun(['ip', '-n', there, 'link', 'set', 'vb', 'address', '00:1b:21:aa:bb:cc'])
  for (const [name, link, host] of [[here, 'va', 1] as const, [there, 'vb', 2] as const]) {
    await mustRun(['ip', '-n', name, 'addr', 'add', `198.51.100.${host}/30`, 'dev', link])
    for (const one of ['lo', link]) await mustRun(['ip', '-n', name, 'link', 'set', one, 'up'])
  }
})
afterAll(async () => {
  await server?.stop()
  for (const name of [here, there]) await run(['ip', 'netns', 'del', name], { env: { PATH: process.env.PATH ?? '' } })
  folder.remove()
})

test('it finds the host by ARP, and names its vendor', async () => {
  const path = { PATH: process.env.PATH ?? '' }
  server = await serve(inside(BINARY), { env: { ...path, DATA_DIR: join(folder.path, 'data') } })
  const client = await signIn(inside(BINARY), { url: server.url, home: folder.path }, path)
  const plat = (...words: string[]) => mustRun(inside(BINARY, ...words), { env: { ...client, ...path } })
  await plat('network', 'create', 'cable', '198.51.100.0/30')
  await plat('discovery', 'scan', 'cable', '--watch')
  const found = Found.parse(JSON.parse(await plat('discovery', 'list', '--network', 'cable', '-o', 'json')))
  expect(found.find(({ ip }) => ip === '198.51.100.2')).toEqual({
    ip: '198.51.100.2',
    mac_address: '00:1b:21:aa:bb:cc',
    vendor: 'Intel Corporate',
  })
})
