/** `plat source` against a real server, in process. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { memoryIo } from '../../../testing/memory-io.ts'
import { runCli } from '../../app/cli.ts'
import { startDockerEngine } from '../testing/docker-engine.ts'

const folder = mkdtempSync(join(tmpdir(), 'plat-source-'))
const at = (name: string): string => join(folder, name)
const write = (name: string, text: string): string => {
  writeFileSync(at(name), text)
  return at(name)
}
const docker = startDockerEngine()
let app: TestApp
let admin: TestCaller
beforeAll(async () => {
  app = await testApp({ env: { ENCRYPTION_KEY: 'c3'.repeat(32), SOURCE_TARGETS: '127.0.0.0/8' } })
  admin = await app.as('admin')
})
afterAll(async () => {
  docker.stop()
  await app.close()
  rmSync(folder, { recursive: true })
})

type Given = { readonly env?: Record<string, string>; readonly stdin?: string }

const run = async (argv: readonly string[], { env = {}, ...more }: Given = {}) => {
  const { io, out, err } = memoryIo({
    argv: ['source', ...argv],
    env: { PLAT_URL: 'http://plat.test', PLAT_TOKEN: admin.key, ...env },
    fetch: (target, init) => app.fetch(new Request(target, init)),
    // The server runs in this process, and needs its turn.
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
    ...more,
  })
  return { code: await runCli(io), out: out(), err: err() }
}
const create = async (name: string, ...flags: string[]) => {
  const made = await run(['create', name, 'docker', '--url', docker.url, '--interval-minutes', '0', ...flags])
  expect([made.code, made.err]).toEqual([0, ''])
}
const find = async (name: string) => {
  const [source] = await admin.api.sources.list({ name })
  if (!source) throw new Error(`there is no source ${name}`)
  return source
}

describe('plat source create and update', () => {
  test('take options by name, and secrets from files without their last newline', async () => {
    const file = write('certificate', 'PEM text\n')
    await create('typed', '--option', 'containers=false', '--secret', `client_certificate=${file}`)
    expect(await find('typed')).toMatchObject({ options: { containers: false }, secrets_set: ['client_certificate'] })
  })

  test('an update keeps the options that are not given', async () => {
    await create('kept', '--option', 'containers=false')
    expect((await run(['update', 'kept', '--option', 'host=device-1'])).code).toBe(0)
    expect((await find('kept')).options).toEqual({ containers: false, host: 'device-1' })
  })

  test('the server names an unknown option', async () => {
    const refused = await run(['create', 'bad', 'docker', '--option', 'nothing=1'])
    expect(refused).toMatchObject({ code: 2, out: '' })
    expect(refused.err).toContain('options.nothing')
  })

  test('the error of an unknown kind names the existing ones', async () => {
    const refused = await run(['create', 'bad', 'novell'])
    expect([refused.code, refused.err.includes('proxmox')]).toEqual([2, true])
  })
})

describe('plat source run', () => {
  test('waits for the end with --watch, and apply makes the changes', async () => {
    docker.engine.names = ['cli-1']
    await create('watched')
    const watched = await run(['run', 'watched', '--watch', '-o', 'json'])
    expect([watched.code, JSON.parse(watched.out)]).toMatchObject([0, { status: 'completed', result: 'read' }])
    const plan = await run(['apply', 'watched', '--dry-run'])
    expect(plan.code).toBe(0)
    expect(plan.out.split('\n').slice(0, 3).sort()).toEqual([
      '+ device cli-1',
      '+ device engine-1',
      '+ relationship engine-1 contains cli-1',
    ])
    expect((await run(['apply', 'watched'])).code).toBe(2)
    expect(await run(['apply', 'watched', '--yes'])).toMatchObject({ code: 0 })
    const { id } = await find('watched')
    const made = await admin.api.devices.list({ managed_by: `source:${id}` })
    expect(made.map(({ name }) => name)).toEqual(['cli-1', 'engine-1'])
    expect(await run(['apply', 'watched', '--yes'])).toMatchObject({ code: 0, err: 'Nothing to do.\n' })
  })

  test('exits with 1 for a run that failed', async () => {
    await create('failing')
    docker.engine.status = 401
    const failed = await run(['run', 'failing', '--watch', '-o', 'json'])
    docker.engine.status = 200
    expect([failed.code, JSON.parse(failed.out)]).toMatchObject([1, { status: 'failed', error_code: 'unauthorized' }])
  })
})

describe('plat source apply --propose', () => {
  /** Returns the number that the command has told. */
  const readNumber = (err: string): string =>
    /^Proposed as (\d+): http:\/\/plat\.test\/proposals\/\1$/m.exec(err)?.[1] ?? ''
  const countProposals = async () => (await admin.api.proposals.list({})).length
  const listNames = async () => (await admin.api.devices.list({})).map(({ name }) => name)
  const listen = async (name: string) => {
    docker.engine.names = [`${name}-1`]
    await create(name)
    expect((await run(['run', name, '--watch'])).code).toBe(0)
  }

  test('shows the plan, asks nothing, and applies nothing before the merge', async () => {
    await listen('proposed')
    const { code, out, err } = await run(['apply', 'proposed', '--propose'])
    expect([code, out.includes('+ device proposed-1'), out.includes('Done.')]).toEqual([0, true, false])
    const proposal = await admin.api.proposals.get({ id: readNumber(err) })
    expect(proposal.state).toBe('open')
    const { id } = await find('proposed')
    expect(proposal.operations).toMatchObject([{ operation: 'sources.apply', input: { id }, error: null }])
    expect(await listNames()).not.toContain('proposed-1')
    await admin.api.proposals.merge({ id: proposal.id })
    expect(await listNames()).toContain('proposed-1')
    const again = await run(['apply', 'proposed', '--propose'])
    expect(again).toMatchObject({ code: 0, err: 'Nothing to do.\n' })
  })

  test('adds to the proposal that --proposal names, and prints JSON that says so', async () => {
    await listen('added')
    const { number } = await admin.api.proposals.create({ title: 'A source' })
    const { code, out, err } = await run(['apply', 'added', '--proposal', `${number}`, '-o', 'json'])
    const answer = { applied: false, change_id: '', proposal: number }
    expect([code, JSON.parse(out), readNumber(err)]).toMatchObject([0, answer, `${number}`])
    expect((await admin.api.proposals.get({ id: `${number}` })).operations).toHaveLength(1)
    expect(await listNames()).not.toContain('added-1')
  })

  test('makes no proposal in a dry run, nor beside --proposal', async () => {
    await listen('tried')
    const before = await countProposals()
    const tried = await run(['apply', 'tried', '--propose', '--dry-run'])
    expect([tried.code, tried.out.includes('+ device tried-1'), tried.err]).toEqual([0, true, ''])
    const both = await run(['apply', 'tried', '--propose', '--proposal', 'draft'])
    expect([both.code, both.err.includes('give one of them')]).toEqual([2, true])
    expect(await countProposals()).toBe(before)
  })
})

describe('plat source collect and push', () => {
  test('a collected snapshot is pushed as it is', async () => {
    docker.engine.names = ['pushed-1']
    const collected = await run(['collect', 'docker', '--url', docker.url])
    expect([collected.code, JSON.parse(collected.out)]).toMatchObject([0, { kind: 'docker' }])
    expect((await run(['create', 'pushed', 'docker'])).code).toBe(0)
    const file = write('snapshot', collected.out)
    const pushed = await run(['push', 'pushed', file, '-o', 'json'])
    expect([pushed.code, JSON.parse(pushed.out)]).toMatchObject([0, { trigger: 'push' }])
  })

  test('a push without a file fetches from here', async () => {
    expect((await run(['create', 'from here', 'docker'])).code).toBe(0)
    const pushed = await run(['push', 'from here', '--url', docker.url, '-o', 'json'])
    expect([pushed.code, JSON.parse(pushed.out)]).toMatchObject([0, { trigger: 'push' }])
  })

  test('an own snapshot is read from standard input', async () => {
    expect((await run(['create', 'piped', 'document'])).code).toBe(0)
    const pushed = await run(['push', 'piped', '-', '-o', 'json'], { stdin: '{"devices":[{"name":"piped-1"}]}' })
    expect([pushed.code, JSON.parse(pushed.out)]).toMatchObject([0, { trigger: 'push' }])
  })

  test('answers are recorded into a folder', async () => {
    const collected = await run(['collect', 'docker', '--url', docker.url, '--record', at('recorded'), '--anonymize'])
    expect(collected.code).toBe(0)
    const { answers } = JSON.parse(readFileSync(join(at('recorded'), 'answers.json'), 'utf8'))
    expect(answers).toHaveLength(4)
  })

  test('a system that refuses ends the command with its code', async () => {
    docker.engine.status = 403
    const refused = await run(['collect', 'docker', '--url', docker.url])
    docker.engine.status = 200
    expect([refused.code, refused.out]).toEqual([6, ''])
    expect(refused.err).toMatch(/^error: forbidden: GET \/version: 403, .*\n$/)
  })

  test.each([
    [['docker'], 'error: --url is missing: the address of Docker, Podman\n'],
    [
      ['libvirt', '--url', 'http://203.0.113.7'],
      'error: --url must be empty: snapshots of the kind libvirt are pushed\n',
    ],
    [
      ['proxmox', '--url', 'https://203.0.113.7:8006'],
      'error: the secret token is missing: --secret token=FILE, or PLAT_SOURCE_TOKEN\n',
    ],
  ])('a collect of %p says what is missing or too much, and sends nothing', async (argv, err) => {
    expect(await run(['collect', ...argv])).toEqual({ code: 2, out: '', err })
  })

  test('an unknown secret is an error that names the existing ones', async () => {
    const file = write('token', 'a-token')
    const refused = await run(['collect', 'docker', '--url', docker.url, '--secret', `tokn=${file}`])
    expect([refused.code, refused.err]).toEqual([
      2,
      'error: the kind docker has no secret tokn: it has client_certificate, client_key\n',
    ])
  })
})
