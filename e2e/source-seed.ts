/** A source of the kind Proxmox, over recorded answers that a server on this machine gives. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunningPlat } from './server.ts'

/** Sources may read servers on this machine. */
export const SOURCES = { SOURCE_TARGETS: '127.0.0.1' } as const

type Recorded = {
  readonly secrets: Readonly<Record<string, string>>
  readonly answers: readonly { readonly path: string; readonly status: number; readonly json?: unknown }[]
}

const CASE = join(import.meta.dir, '..', 'src/sources/kinds/proxmox/answers/pve8-cluster/answers.json')
// The test of the kinds validates the file.
const readCase = () => JSON.parse(readFileSync(CASE, 'utf8')) as Recorded

export const startCluster = () => {
  const { answers } = readCase()
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => {
      const { pathname, search } = new URL(url)
      const answer = answers.find(({ path }) => path === pathname + search)
      return answer ? Response.json(answer.json, { status: answer.status }) : new Response('', { status: 404 })
    },
  })
}

const LOOK_MS = 50

/** Returns the id of a source that was read and waits for a person. */
export const seedSource = async ({ api }: RunningPlat, url: string): Promise<string> => {
  const terms = { interval_minutes: 0, secrets: readCase().secrets }
  const { id } = await api.sources.create({ name: 'Berlin cluster', kind: 'proxmox', url, ...terms })
  await api.sources.run({ id })
  while ((await api.sources.get({ id })).is_running) await Bun.sleep(LOOK_MS)
  return id
}
