/** The commands of the page on scanners: each is run against a server, or named here with the reason why it is not. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { program } from '../../src/app/cli.ts'
import { type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { until as untilWithin } from '../../testing/until.ts'

setDefaultTimeout(120_000)
const PATIENT_MS = 60_000
const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => untilWithin(what, look, PATIENT_MS)

const root = resolve(import.meta.dir, '../..')
const page = readFileSync(join(root, 'docs/scanners.md'), 'utf8')

/** The commands of the blocks, each on one line, without comments. */
const commands = [...page.matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.replaceAll('\\\n', '').split('\n'))
  .map((line) =>
    line
      .replace(/\s+#.*$/, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
  .filter((line) => line !== '')

const RUN = 'plat scanner run --url https://plat.example.com --token "$TOKEN"'
/** The reasons are other tests, or programs that are missing here. */
const NOT_RUN: readonly (readonly [start: string, reason: string])[] = [
  ['systemctl ', 'needs systemd; packaging/test/files.test.ts and packaging/whole/scanner-unit.test.ts read the unit'],
  ['editor ', 'an editor'],
  ['journalctl ', 'needs systemd'],
  ['sudo plat scanner run --check --state ', 'needs the service'],
  ['docker run ', 'needs Docker'],
  ['HTTPS_PROXY=', 'src/scanner/daemon/network.test.ts runs it with a proxy'],
  ['plat scanner run --ca ', 'src/scanner/daemon/network.test.ts runs it with a certificate'],
]
const isRun = (command: string): boolean => !NOT_RUN.some(([start]) => command.startsWith(start))

let folder: ServerFolder
let url: string
let state: string
beforeAll(async () => {
  state = mkdtempSync(join(tmpdir(), 'plat-scanner-docs-'))
  folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false', DISCOVERY_ALLOW_LOCAL: 'true' })
  ;({ url } = await folder.start())
})
afterAll(async () => {
  await folder.remove()
  rmSync(state, { recursive: true, force: true })
})

type Ended = { readonly code: number; readonly text: string }

/** Starts a command with the URL of this server, and with the network of loopback in place of that of the page. */
const start = (command: string, token = '') =>
  Bun.spawn(
    [
      'sh',
      '-c',
      command
        .replace(/^plat /, 'exec ./plat ')
        .replace('https://plat.example.com', url)
        .replace('10.9.0.0/24', '127.9.0.0/28'),
    ],
    {
      cwd: root,
      env: {
        ...{ PATH: process.env.PATH ?? '', NODE_ENV: 'test', PLAT_URL: url, PLAT_TOKEN: folder.key },
        ...{ PLAT_SCANNER_STATE: state, TOKEN: token, XDG_CONFIG_HOME: state },
      },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'ignore',
    },
  )
const run = async (command: string): Promise<Ended> => {
  const child = start(command)
  const text = await new Response(child.stdout).text()
  return { code: await child.exited, text }
}

test('each one is run, or is known not to be', () => {
  expect(commands.filter(isRun)).toEqual([
    'plat scanner create oslo',
    RUN,
    'plat network create branch 10.9.0.0/24 --scanner oslo',
    'plat discovery scan branch --watch',
    'plat scanner run --check',
    'plat space create oslo',
    'plat space create bergen',
    'plat network create oslo-lan 192.168.0.0/24 --space oslo --scanner oslo',
    'plat network create bergen-lan 192.168.0.0/24 --space bergen --scanner bergen',
  ])
})

test('they lead to a scan by the scanner, and end well', async () => {
  const created = await run('plat scanner create oslo -o json')
  const { enrolment_token } = JSON.parse(created.text) as { enrolment_token: string }
  const scanner = start(RUN, enrolment_token)
  try {
    await until('online scanner', async () => {
      const { text } = await run('plat scanner get oslo -o json')
      return (JSON.parse(text) as { status: string }).status === 'online' || undefined
    })
    const after = commands
      .filter(isRun)
      .filter((command) => command !== RUN && !command.startsWith('plat scanner create'))
    const ends: { command: string; code: number }[] = []
    for (const command of after) ends.push({ command, code: (await run(command)).code })
    expect(ends).toEqual(after.map((command) => ({ command, code: 0 })))
    const found = await run('plat discovery list --network-id branch -o json')
    expect(JSON.parse(found.text)).toHaveLength(14)
    expect((await run('plat scanner revoke oslo')).code).toBe(0)
    expect(await scanner.exited).toBe(3)
  } finally {
    scanner.kill('SIGKILL')
  }
})

test('the page has every flag of the command, and every variable of its help', () => {
  const command = program.specials.find(({ words }) => words.join(' ') === 'scanner run')
  const flags = command?.spec().flags ?? []
  const wanted = flags.flatMap(({ names, about }) => [`--${names[0]}`, ...(about.match(/PLAT_[A-Z_]+/g) ?? [])])
  expect(wanted.length).toBeGreaterThan(10)
  expect(wanted.filter((text) => !page.includes(`\`${text}`))).toEqual([])
})
