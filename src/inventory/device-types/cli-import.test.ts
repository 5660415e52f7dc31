/** `plat device-type import` against a real server, in process. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { testAll } from '../../../testing/cases.ts'
import { memoryIo } from '../../../testing/memory-io.ts'
import { runCli } from '../../app/cli.ts'

let app: TestApp
let admin: TestCaller
let folder = ''
let requests = 0
beforeAll(async () => {
  app = await testApp()
  admin = await app.as('admin')
  folder = await mkdtemp(join(tmpdir(), 'plat-types-'))
})
afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true })
})

const write = async (path: string, text: string): Promise<string> => {
  const file = join(folder, path)
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, text)
  return file
}

const importing = async (...argv: string[]) => {
  const { io, out, err } = memoryIo({
    argv: ['device-type', 'import', ...argv],
    env: { PLAT_URL: 'http://plat.test', PLAT_TOKEN: admin.key },
    fetch: (target, init) => {
      requests++
      return app.fetch(new Request(target, init))
    },
  })
  return { code: await runCli(io), out: out(), err: err() }
}

const names = async () => (await admin.api.deviceTypes.list({})).map(({ name }) => name)

test('imports the files of folders, and a second time changes nothing', async () => {
  // Neither ends its last line, and the second has a directive.
  await write('lib/Acme/a.yaml', 'manufacturer: Acme\nmodel: A\nweight: 3\ncomments: x')
  await write('lib/Bolt/b.yml', '%YAML 1.2\n---\nmanufacturer: Bolt\nmodel: B')
  await write('lib/README.md', 'no device type')
  const lib = join(folder, 'lib')
  expect(await importing(lib, '--dry-run')).toMatchObject({ code: 0, out: expect.stringContaining('2 created') })
  expect(await names()).toEqual([])
  expect(await importing(lib)).toEqual({
    code: 0,
    out: 'created: Acme A; left out: weight, comments\ncreated: Bolt B\n2 created, 0 updated, 0 unchanged\n',
    err: '',
  })
  expect(await names()).toEqual(['Acme A', 'Bolt B'])
  expect((await importing(lib, '--quiet')).out).toBe('0 created, 0 updated, 2 unchanged\n')
})

test('prints the complete answer as JSON', async () => {
  const file = await write('one.yaml', 'manufacturer: Acme\nmodel: A\nu_height: 2\n')
  expect(JSON.parse((await importing(file, '-o', 'json')).out)).toMatchObject({
    ...{ created: 0, updated: 1, unchanged: 0 },
    device_types: [{ name: 'Acme A', outcome: 'updated', ignored: [] }],
  })
})

describe('with --propose', () => {
  test('imports nothing before the merge of the proposal', async () => {
    await write('proposed/a.yaml', 'manufacturer: Proposed\nmodel: A\n')
    await write('proposed/b.yaml', 'manufacturer: Proposed\nmodel: B\n')
    const { code, out, err } = await importing(join(folder, 'proposed'), '--propose')
    expect([code, out.split('\n').slice(0, 3)]).toEqual([
      0,
      ['created: Proposed A', 'created: Proposed B', '2 created, 0 updated, 0 unchanged'],
    ])
    const [, id = ''] = /^Proposed as (\d+): http:\/\/plat\.test\/proposals\/\1$/m.exec(err) ?? []
    const proposal = await admin.api.proposals.get({ id })
    expect(proposal).toMatchObject({ state: 'open', summary: 'creates 2 device types' })
    expect(proposal.operations.map(({ operation }) => operation)).toEqual(['device-types.import'])
    expect((await names()).filter((name) => name.startsWith('Proposed'))).toEqual([])
    await admin.api.proposals.merge({ id })
    expect((await names()).filter((name) => name.startsWith('Proposed'))).toEqual(['Proposed A', 'Proposed B'])
  })

  test('makes operations of one proposal of a library that needs several requests', async () => {
    const comments = 'x'.repeat(200_000)
    for (let i = 0; i < 22; i++) await write(`big/${i}.yaml`, `manufacturer: Big\nmodel: ${i}\ncomments: ${comments}\n`)
    const before = (await admin.api.proposals.list({})).length
    const { code, out } = await importing(join(folder, 'big'), '--propose', '--quiet')
    const [newest, ...others] = await admin.api.proposals.list({})
    expect([code, out]).toEqual([0, `${newest?.number}\n`])
    expect(others).toHaveLength(before)
    const { operations, summary } = await admin.api.proposals.get({ id: newest?.id ?? '' })
    expect([operations.length, summary]).toEqual([2, 'creates 22 device types'])
  })

  test('makes no proposal in a dry run', async () => {
    const before = (await admin.api.proposals.list({})).length
    const file = await write('dry.yaml', 'manufacturer: Dry\nmodel: A\n')
    expect(await importing(file, '--propose', '--dry-run')).toMatchObject({ code: 0, err: '' })
    expect((await admin.api.proposals.list({})).length).toBe(before)
  })
})

test('names the file that is bad, and sends none', async () => {
  const good = await write('bad/a.yaml', 'manufacturer: Acme\nmodel: Good\n')
  const bad = await write('bad/b.yaml', 'manufacturer: Acme\nmodel: Bad\nu_height: 0.3\n')
  requests = 0
  for (const paths of [[good, bad], [join(folder, 'bad')]]) {
    const { code, err } = await importing(...paths)
    expect([code, err.includes(bad), err.includes('u_height')]).toEqual([2, true, true])
  }
  for (const [path, message] of [
    [join(folder, 'none.yaml'), 'none.yaml'],
    [join(await write('empty/x.txt', ''), '..'), 'no .yaml or .yml file'],
  ] as const) {
    const { code, err } = await importing(path)
    expect([code, err.includes(message)]).toEqual([2, true])
  }
  expect((await importing()).code).toBe(2)
  expect(requests).toBe(0)
})

testAll('sends a large library in few requests', async () => {
  const comments = 'x'.repeat(200_000)
  for (let i = 0; i < 45; i++)
    await write(`large/${i}.yaml`, `manufacturer: Large\nmodel: ${i}\ncomments: ${comments}\n`)
  requests = 0
  expect((await importing(join(folder, 'large'), '--quiet')).out).toBe('45 created, 0 updated, 0 unchanged\n')
  expect(requests).toBe(3)
})

test('of a clone of the library the device types are imported, and nothing beside them', async () => {
  await write('clone/.github/ISSUE_TEMPLATE/bug.yml', 'name: Bug\nbody:\n  - type: markdown\n')
  await write('clone/.pre-commit-config.yaml', 'repos: []\n')
  await write('clone/module-types/Acme/sfp.yaml', 'manufacturer: Acme\nmodel: SFP\n')
  await write('clone/rack-types/Acme/rack.yaml', 'manufacturer: Acme\nmodel: Rack\nu_height: 42\n')
  await write('clone/device-types/.hidden/x.yaml', 'no: type\n')
  await write(
    'clone/device-types/Acme/clone.yaml',
    'manufacturer: Acme\nmodel: Cloned\nslug: acme-cloned\nu_height: 1\ninterfaces:\n  - { name: a, type: x, label: up }\n  - { name: b, type: x, label: down }\n',
  )
  expect(await importing(join(folder, 'clone'))).toMatchObject({
    code: 0,
    out: 'created: Acme Cloned; left out: interfaces.label (2, such as up)\n1 created, 0 updated, 0 unchanged\n',
  })
  const { code, err } = await importing(join(folder, 'clone/module-types'))
  expect([code, err.includes('is in module-types, and only device types are imported')]).toEqual([2, true])
})
