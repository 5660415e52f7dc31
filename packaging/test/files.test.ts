/** The files around the executable: the unit, the image, the compose file, the manual page, the shell completions. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { goTool } from '../../scripts/go-tools.mjs'
import { program } from '../../src/app/cli.ts'
import { contracts } from '../../src/app/contracts.ts'
import { describeConfig } from '../../src/base/config/config.ts'
import { formatManualPage } from '../../src/surfaces/cli/output/manual.ts'
import { listCommands } from '../../src/surfaces/cli/parse/operation-commands.ts'
import { mustRun, ROOT, run, tempFolder } from '../trial.ts'

setDefaultTimeout(60_000)
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const PATH = process.env.PATH ?? ''
const commands = listCommands(contracts, program.specials)
const page = formatManualPage(commands, program.version)

describe('the manual page', () => {
  test('has every command that help shows', () => {
    const text = page.replaceAll('\\-', '-')
    const shown = commands.filter(({ isHidden }) => !isHidden).map(({ words }) => `\\fBplat ${words.join(' ')}\\fR`)
    expect(shown.filter((words) => !text.includes(words))).toEqual([])
  })

  test('has every setting', () => {
    expect(describeConfig().filter(({ name }) => !page.includes(`\\fB${name}\\fR`))).toEqual([])
  })

  test('is set without a warning', async () => {
    const { code, err } = await run(['groff', '-man', '-Tutf8', '-ww', '-rLL=100n', '-z'], {
      env: { PATH },
      stdin: page,
    })
    expect([code, err]).toEqual([0, ''])
  })

  test('reads well', async () => {
    const text = await mustRun(['groff', '-man', '-Tascii', '-P-cbou'], { stdin: page })
    const words = text.replaceAll(/\s+/g, ' ')
    // The failure of toContain would print the whole text.
    expect(words.includes('plat pool next-ip ID Show the lowest free address of a pool; records nothing.')).toBe(true)
  })
})

describe('completions', () => {
  const folder = tempFolder()
  const env = { PATH: `${folder.path}:${PATH}`, HOME: folder.path, PLAT_URL: 'http://127.0.0.1:9' }
  beforeAll(() => {
    const plat = join(folder.path, 'plat')
    writeFileSync(plat, `#!/bin/sh\nexec '${join(ROOT, 'plat')}' "$@"\n`)
    chmodSync(plat, 0o755)
  })

  test('bash', async () => {
    const script = `source <(plat completion bash); COMP_LINE='plat device cre'; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(plat device cre); COMP_CWORD=2; _plat; echo "\${COMPREPLY[@]}"`
    expect(await run(['bash', '--norc', '-c', script], { env })).toEqual({ code: 0, out: 'create\n', err: '' })
  })

  test('zsh, from its own folder of functions', async () => {
    writeFileSync(join(folder.path, '_plat'), await mustRun([join(ROOT, 'plat'), 'completion', 'zsh']))
    const script = `fpath=(${folder.path} $fpath); autoload -Uz compinit; compinit -u -d ${folder.path}/dump; echo $_comps[plat]`
    expect(await run(['zsh', '-f', '-c', script], { env })).toEqual({ code: 0, out: '_plat\n', err: '' })
  })

  test('fish', async () => {
    const script = `plat completion fish | source; complete -C 'plat device cre'`
    expect((await run(['fish', '--no-config', '-c', script], { env })).out).toBe('create\n')
  })
})

describe('the unit', () => {
  /** A root with only the unit and its program. */
  const root = tempFolder()
  const unit = 'etc/systemd/system/plat.service'
  const put = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(join(root.path, dirname(path)), { recursive: true })
    writeFileSync(join(root.path, path), text)
    chmodSync(join(root.path, path), mode)
  }
  const analyze = (...args: string[]) => run(['systemd-analyze', ...args], { env: { PATH } })
  beforeAll(() => {
    put('usr/bin/plat', '#!/bin/sh\n', 0o755)
    put(unit, read('packaging/systemd/plat.service'))
    for (const name of ['sysinit', 'basic', 'shutdown', 'network-online', 'multi-user'])
      put(`etc/systemd/system/${name}.target`, '[Unit]\nDescription=stand-in\n')
    for (const name of ['-', 'system']) put(`etc/systemd/system/${name}.slice`, '[Unit]\nDescription=stand-in\n')
  })

  test('is understood in every line', async () => {
    const { code, err } = await analyze('verify', `--root=${root.path}`, '--man=no', `${root.path}/${unit}`)
    expect([code, err]).toEqual([0, ''])
  })

  test('exposes little', async () => {
    const { code, out } = await analyze(
      'security',
      '--offline=true',
      '--threshold=20',
      `--root=${root.path}`,
      `${root.path}/${unit}`,
    )
    expect([code, /Overall exposure level[^:]*: ([\d.]+)/.exec(out)?.[1]]).toEqual([0, expect.any(String)])
  })

  test.each(['verify', 'security'])('so is that of Litestream: %s', async (what) => {
    const beside = 'etc/systemd/system/plat-litestream.service'
    put('usr/bin/litestream', '#!/bin/sh\n', 0o755)
    put(beside, read('packaging/litestream/plat-litestream.service'))
    const args = what === 'verify' ? ['--man=no'] : ['--offline=true', '--threshold=20']
    const { code, err } = await analyze(what, `--root=${root.path}`, ...args, `${root.path}/${beside}`)
    expect([code, err]).toEqual([0, ''])
  })

  test.each(['verify', 'security'])('so is that of a scanner: %s', async (what) => {
    const beside = 'etc/systemd/system/plat-scanner.service'
    put(beside, read('packaging/systemd/plat-scanner.service'))
    const args = what === 'verify' ? ['--man=no'] : ['--offline=true', '--threshold=20']
    const { code, err } = await analyze(what, `--root=${root.path}`, ...args, `${root.path}/${beside}`)
    expect([code, err]).toEqual([0, ''])
  })

  test('with ARP it is understood too', async () => {
    put('etc/systemd/system/plat.service.d/arp.conf', read('packaging/systemd/arp.conf'))
    const { code, err } = await analyze('verify', `--root=${root.path}`, '--man=no', `${root.path}/${unit}`)
    expect([code, err]).toEqual([0, ''])
  })
})

describe('the settings of a scanner', () => {
  const unit = read('packaging/systemd/plat-scanner.service')
  const file = read('packaging/debian/scanner.env')
  const flags = commands.find(({ words }) => words.join(' ') === 'scanner run')?.spec().flags ?? []

  test('are read by the unit, which runs the scanner with no flag', () => {
    expect(unit).toContain('\nEnvironmentFile=/etc/plat/scanner.env\n')
    expect(unit).toContain('\nExecStart=/usr/bin/plat scanner run\n')
  })
  test('are variables that its help names', () => {
    const named = [...file.matchAll(/^#?(PLAT_\w+)=/gm)].map(([, name = '']) => name)
    expect(named).toEqual(['PLAT_SCANNER_URL', 'PLAT_SCANNER_TOKEN', 'PLAT_SCANNER_SLOTS'])
    expect(named.filter((name) => !flags.some(({ about }) => about.includes(name)))).toEqual([])
  })
  test('are all left to the administrator', () => expect(file).not.toMatch(/^[A-Z]/m))
  test('a scanner that the server refuses is not started again', () =>
    expect(/^RestartPreventExitStatus=(.*)$/m.exec(unit)?.[1]?.split(' ')).toContain('3'))
})

describe('the configuration of Litestream', () => {
  const setting = (file: string, name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(read(file))?.[1] ?? ''
  const unit = 'packaging/litestream/plat-litestream.service'
  const { dbs } = parse(read('packaging/litestream/litestream.yml'))

  test('names the database of the server', () => {
    const folder = /^DATA_DIR=(.*)$/.exec(setting('packaging/systemd/plat.service', 'Environment'))?.[1]
    expect(dbs.map(({ path }: { path: string }) => path)).toEqual([`${folder}/plat.db`])
  })
  test('is tried with the version that the documentation names', () => {
    const version = /litestream-v([\d.]+)/.exec(goTool('litestream'))?.[1]
    expect(/\[Litestream\][\s\S]*?version ([\d.]+\d)/.exec(read('docs/recovery.md'))?.[1]).toBe(version)
  })
  test('sends changes each second', () => expect(dbs[0].replica['sync-interval']).toBe('1s'))
  test('has no secret in it', () =>
    expect(Object.keys(dbs[0].replica).filter((name) => /key|secret|password/.test(name))).toEqual([]))
  test('is started and stopped with the server, as its user', () =>
    expect(['User', 'PartOf', 'Before', 'WantedBy'].map((name) => setting(unit, name))).toEqual([
      setting('packaging/systemd/plat.service', 'User'),
      'plat.service',
      'plat.service',
      'plat.service',
    ]))
})

describe('the image', () => {
  const file = read('Dockerfile')
  const last = file.slice(file.lastIndexOf('\nFROM'))
  const word = (name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(last)?.[1] ?? ''

  test('runs as a user who cannot change it', () => expect(word('USER')).toBe('65532:65532'))
  test('starts the program itself, so that signals reach it', () =>
    expect([JSON.parse(word('ENTRYPOINT')), JSON.parse(word('CMD'))]).toEqual([['/usr/bin/plat'], ['serve']]))
  test('is of the version of the program', () =>
    expect(word('ARG')).toBe(`VERSION=${JSON.parse(read('package.json')).version}`))
  test('has only base images with an exact version', () =>
    expect(
      [...file.matchAll(/^FROM (\S+)/gm)]
        .map(([, name = '']) => name)
        .filter((name) => !/^scratch$|:\d+\.\d+\.\d+/.test(name)),
    ).toEqual([]))
})

describe('the compose file', () => {
  type Service = {
    image: string
    environment?: Record<string, string>
    secrets?: string[]
    ports?: string[]
    healthcheck?: object
  }
  type Compose = { services: Record<string, Service>; secrets: Record<string, { file: string }> }
  const compose: Compose = parse(read('packaging/compose/compose.yaml'))
  const services = Object.values(compose.services)

  test('has no password in it', () => {
    const settings = services.flatMap(({ environment = {} }) => Object.keys(environment))
    expect(settings.filter((name) => /PASSWORD|KEY|URL/.test(name) && !name.endsWith('_FILE'))).toEqual([])
  })
  test('every setting of Plat in it is one', () => {
    const known = new Set(describeConfig().flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])))
    expect(Object.keys(compose.services.plat?.environment ?? {}).filter((name) => !known.has(name))).toEqual([])
  })
  test('every server is of one version', () =>
    expect(services.filter(({ image }) => !/:\d+\.\d+/.test(image))).toEqual([]))
  test('nothing listens on other addresses than loopback', () =>
    expect(services.flatMap(({ ports = [] }) => ports).filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]))

  test('all its secrets are generated, once', async () => {
    const folder = tempFolder()
    const script = join(folder.path, 'make-secrets.sh')
    writeFileSync(script, read('packaging/compose/make-secrets.sh'))
    await mustRun(['sh', script])
    const made = readdirSync(join(folder.path, 'secrets')).sort()
    const again = await run(['sh', script], { env: { PATH } })
    const mode = statSync(join(folder.path, 'secrets')).mode & 0o777
    folder.remove()
    expect(made.map((name) => `./secrets/${name}`)).toEqual(
      Object.values(compose.secrets)
        .map(({ file }) => file)
        .sort(),
    )
    expect([again.code, mode]).toEqual([1, 0o700])
  })
})
