/** Checks the documents against the program: settings, links, and the commands of the README, which are run. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type Server, startServer } from '../../src/app/server.ts'
import { describeConfig, loadConfig } from '../../src/base/config/config.ts'
import { createLogger } from '../../src/base/runtime/log.ts'

const root = resolve(import.meta.dir, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const PASSWORD = 'sesame-sesame'

const documents = [
  ...['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'STYLE.md', 'examples/README.md'],
  ...['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${folder}/${file}`),
  ),
]

test('every setting stands in the configuration page with its default and its meaning', () => {
  const page = read('docs/configuration.md')
  for (const { name, default: fallback, help, secret } of describeConfig())
    expect(page).toContain(`| \`${name}\`${secret ? '*' : ''} | ${fallback ? `\`${fallback}\`` : '-'} | ${help} |`)
})

test.each(documents)('every link of %s leads somewhere', (file) => {
  const targets = [...read(file).matchAll(/\]\((?!https?:)([^)#]+)/g)].flatMap(([, target]) => target ?? [])
  expect(targets.filter((target) => !existsSync(join(root, dirname(file), target)))).toEqual([])
})

test('every picture of the README is there, in both themes', () => {
  const sources = [...read('README.md').matchAll(/(?:srcset|src)="([^"]+)"/g)].map(([, source = '']) => source)
  const names = ['networks', 'rack', 'inbox']
  expect(sources).toEqual(
    names.flatMap((name) => ['dark', 'light'].map((one) => `docs/images/readme-${name}-${one}.webp`)),
  )
  expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([])
})

test('the commands of the README are scripts of the package', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = [...read('README.md').matchAll(/npm (?:run ([a-z:]+)|(start|test))/g)].map(
    ([, run, own]) => run ?? own ?? '',
  )
  expect(new Set(named)).toEqual(new Set(['start', 'test', 'bench']))
  expect(named.filter((name) => !(name in scripts))).toEqual([])
})

describe('the page on security', () => {
  const page = read('docs/security.md')
  const claims = [
    ...(/## What it defends\n([\s\S]*?)\n## /.exec(page)?.[1] ?? '').matchAll(/^\| (?!Claim|---)(.*) \| (.*) \|$/gm),
  ]

  test('has claims', () => expect(claims.length).toBeGreaterThan(40))

  test.each(claims.map(([, claim = '', tests = '']) => [claim, tests] as const))(
    '%s: by a test that exists',
    (_, tests) => {
      const files = [...tests.matchAll(/`([^`]+\.test\.tsx?)`/g)].map(([, file = '']) => file)
      expect(files.length).toBeGreaterThan(0)
      expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
    },
  )

  test('names settings that exist', () => {
    const table = /## Settings\n([\s\S]*?)\n## /.exec(page)?.[1] ?? ''
    const names = [...table.matchAll(/`([A-Z][A-Z_]{3,})`/g)].map(([, name]) => name)
    const known = new Set(describeConfig().map(({ name }) => name))
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name = '') => !known.has(name))).toEqual([])
  })
})

type Step = { readonly command: string; readonly output: string | undefined }

/** Reads the commands of a document. Only a `console` block has their output, which follows each of them. */
const listSteps = (file: string): Step[] =>
  [...read(file).matchAll(/```(console|sh)\n([\s\S]*?)```/g)].flatMap(([, kind, block = '']): Step[] => {
    if (kind === 'sh')
      return block
        .split('\n')
        .filter((line) => line.startsWith('./plat '))
        .map((command) => ({ command, output: undefined }))
    return block
      .split(/^\$ /m)
      .filter((part) => part !== '')
      .map((part) => ({ command: part.slice(0, part.indexOf('\n')), output: part.slice(part.indexOf('\n') + 1) }))
  })

describe.each([
  ['the README', 'README.md', 8],
  ['the page on the first day', 'docs/first-day.md', 15],
])('the commands of %s', (_, file, least) => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-tour-'))
  let server: Server

  beforeAll(async () => {
    const config = loadConfig({
      env: {
        DATA_DIR: join(folder, 'data'),
        LISTEN_ADDR: '127.0.0.1:0',
        INITIAL_ADMIN_PASSWORD: PASSWORD,
        DISCOVERY_ALLOW_LOCAL: 'true',
      },
      cwd: folder,
    })
    server = await startServer({ config, log: createLogger({ level: 'error', format: 'text' }), now: () => new Date() })
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('succeed, and print what it says they print', async () => {
    const steps = listSteps(file)
    expect(steps.length).toBeGreaterThan(least)
    // One shell for all commands, because a later one uses a variable of an earlier one.
    const marker = '--- next command ---'
    const script = steps
      .map(({ command }) =>
        command.includes(' login ') ? `echo ${PASSWORD} | ${command} --password-stdin 2>&1` : command,
      )
      .map((command, i) => (steps[i]?.output === undefined ? `{ ${command}; } 2>&1 || echo "exit code $?"` : command))
      .join(`\necho '${marker}'\n`)
      .replaceAll('http://localhost:8080', server.url)
      // The hosts of this machine.
      .replaceAll('192.168.1.0/24', '127.0.0.0/30')
    const shell = Bun.spawn(['sh', '-c', script], {
      cwd: root,
      env: { ...process.env, PLAT_URL: server.url, XDG_CONFIG_HOME: join(folder, 'config') },
      stderr: 'pipe',
    })
    const printed = (await new Response(shell.stdout).text()).split(`${marker}\n`)
    const shown = steps.map(({ command, output }, i) => {
      const text = printed[i] ?? ''
      if (output === undefined) return { command, output: /^(exit code|error:) .*/m.exec(text)?.[0] }
      // `cut` and `curl` differ in their line ends.
      return { command, output: command.includes(' login ') ? output : `${text.trimEnd()}${output === '' ? '' : '\n'}` }
    })
    expect(shown).toEqual(steps)
  })
})
