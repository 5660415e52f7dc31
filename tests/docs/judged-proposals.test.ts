/** The judge of docs/proposals.md: Debian's webhook starts check-jsonschema for each open proposal, and the merge waits for its check. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { checkJsonschemaFolder } from '../../scripts/python-tools.mjs'
import { findProgram } from '../../scripts/server-binaries.mjs'
import { contracts } from '../../src/app/contracts.ts'
import { createClient } from '../../src/surfaces/cli/connection/client.ts'
import { type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { HOST } from '../../testing/receiver.ts'
import { freePort } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const page = readFileSync(resolve(import.meta.dir, '../../docs/proposals.md'), 'utf8')
const readBlock = (start: string): string => {
  const [, text] = new RegExp(`^${start}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page) ?? []
  if (text === undefined) throw new Error(`docs/proposals.md has no block that begins with ${start}`)
  return text
}

describe('a proposal that a program judges', () => {
  let folder: ServerFolder
  let api: ReturnType<typeof createClient<typeof contracts>>
  let judge: Bun.Subprocess | undefined

  beforeAll(async () => {
    folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false', ENCRYPTION_KEY: 'ab'.repeat(32) })
    const { url } = await folder.start({ reachesReceivers: true })
    const headers = { Authorization: `Bearer ${folder.key}` }
    api = createClient({ fetch: (target, init) => fetch(target, init), baseUrl: url, headers }, contracts)
    const role = await api.roles.create({ name: 'judge', permissions: ['proposals:read', 'proposals:check'] })
    const user = await api.users.create({ username: 'judge', password: 'never typed', roles: ['viewer', role.id] })
    const { key } = await api.keys.create({ name: 'judge', user_id: user.id })
    const dir = join(folder.dir, 'judge')
    mkdirSync(dir)
    const write = (name: string, text: string) =>
      writeFileSync(join(dir, name), text.replaceAll('/etc/plat-judge', dir))
    const hooks = readBlock('```json\\n\\[')
    write('hooks.json', `[\n${hooks}`)
    write('judge.sh', readBlock('```bash'))
    chmodSync(join(dir, 'judge.sh'), 0o700)
    write('rules.json', `{\n${readBlock('```json\\n\\{')}`)
    const port = await freePort()
    judge = Bun.spawn([findProgram('webhook') ?? 'webhook', '-hooks', 'hooks.json', '-ip', HOST, '-port', `${port}`], {
      ...{ cwd: dir, stdout: 'ignore', stderr: 'ignore' },
      env: {
        ...process.env,
        ...{ PATH: `${checkJsonschemaFolder}${delimiter}${process.env.PATH ?? ''}`, TMPDIR: folder.dir },
        ...{ PLAT_URL: url, PLAT_TOKEN: key },
      },
    })
    await until(
      'answer of webhook',
      async () => (await fetch(`http://${HOST}:${port}/`).catch(() => undefined))?.status,
    )
    await api.webhooks.create({
      ...{ name: 'judge', url: `http://${HOST}:${port}/hooks/proposals`, secret: 'a long secret' },
      events: ['proposal.opened', 'proposal.updated'],
    })
    await api.policies.create({ name: 'judged', checks: ['addressing'], approvals: 0 })
  }, 60_000)
  afterAll(async () => {
    judge?.kill()
    await judge?.exited
    await folder.remove()
  })

  const propose = async (subnet: string) => {
    const operations = [{ operation: 'networks.create', input: { name: subnet, subnet } }]
    return api.proposals.create({ title: `a network ${subnet}`, operations, open: true })
  }
  const awaitCheck = (id: string) =>
    until('report of the judge', async () => (await api.proposals.get({ id })).checks[0], 60_000)

  test('is merged once its check has succeeded', async () => {
    const { id } = await propose('10.1.1.0/24')
    expect(await awaitCheck(id)).toMatchObject({ name: 'addressing', state: 'success', reported_by: 'judge' })
    expect(await api.proposals.merge({ id })).toMatchObject({ state: 'merged', blockers: [] })
  }, 90_000)

  test('is not merged after its check has failed, and is judged again when it has changed', async () => {
    const { id } = await propose('10.2.0.0/16')
    expect(await awaitCheck(id)).toMatchObject({ state: 'failure', summary: 'by rules.json' })
    await expect(api.proposals.merge({ id })).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED', status: 403 })
    const input = { name: 'smaller', subnet: '10.2.0.0/25' }
    expect((await api.proposals.replaceOperation({ id, operation_id: '1', input })).checks).toEqual([])
    expect(await awaitCheck(id)).toMatchObject({ state: 'success' })
    expect((await api.proposals.merge({ id })).state).toBe('merged')
  }, 90_000)
})
