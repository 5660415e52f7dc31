/** The example of docs/automation.md, run by Ansible. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ansibleFolder } from '../../scripts/python-tools.mjs'
import { type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { testAll } from '../../testing/cases.ts'

describe.skipIf(process.env.PLAT_TEST_LAB === 'off')('ansible-playbook', () => {
  let folder: ServerFolder
  let url: string
  beforeAll(async () => {
    folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false' })
    const server = await folder.start()
    url = server.url
    const text = readFileSync(resolve(import.meta.dir, '../../docs/automation.md'), 'utf8')
    const [, playbook = ''] = /^```yaml\n([\s\S]*?)^```/m.exec(text) ?? []
    writeFileSync(join(folder.dir, 'devices.yml'), playbook)
  }, 60_000)
  afterAll(() => folder.remove())

  /** Returns the numbers of the recap: `ok`, `changed`, `failed`. */
  const run = async (...more: string[]): Promise<Record<string, number>> => {
    const command = [join(ansibleFolder, 'ansible-playbook'), 'devices.yml', '-e', `plat_url=${url}`]
    const env = { PATH: process.env.PATH ?? '', HOME: folder.dir, LC_ALL: 'C.UTF-8', ANSIBLE_NOCOLOR: 'true' }
    const options = { cwd: folder.dir, env, stderr: 'pipe', timeout: 60_000 } as const
    const child = Bun.spawn([...command, '-e', `plat_token=${folder.key}`, ...more], options)
    const [output, errors] = [await new Response(child.stdout).text(), await new Response(child.stderr).text()]
    const recap = /^localhost +: (.*)$/m.exec(output)?.[1]
    if (recap === undefined) throw new Error(output + errors)
    return Object.fromEntries([...recap.matchAll(/(\w+)=(\d+)/g)].map(([, name = '', count]) => [name, Number(count)]))
  }

  testAll(
    'makes the device, and a second run changes nothing',
    async () => {
      expect(await run()).toMatchObject({ ok: 1, changed: 1, failed: 0 })
      const answer = await fetch(`${url}/api/devices/ansible:web1`, {
        headers: { Authorization: `Bearer ${folder.key}` },
      })
      expect(await answer.json()).toMatchObject({ name: 'ans-web-1', managed_by: 'ansible' })
      expect(await run()).toMatchObject({ ok: 1, changed: 0, failed: 0 })
    },
    120_000,
  )

  test('skips the task with --check', async () => {
    expect(await run('--check')).toMatchObject({ skipped: 1, failed: 0 })
  }, 60_000)
})
