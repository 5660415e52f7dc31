/** Starts a real NetBox from PyPI on a PostgreSQL and a Valkey (or Redis) of its own, empty and with an admin who has a token. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { netboxFolder } from '../../../scripts/python-tools.mjs'
import { freePort, launch, postgresAsItComes, read, valkey } from '../../servers/servers.ts'
import { until } from '../../until.ts'

const TOKEN = '0123456789abcdef0123456789abcdef01234567'
/** Only this machine reaches it, for the time of a test. */
const SECRET = 'only for tests: a key of more than the fifty characters that are asked for'
/** The first answer loads the whole program. */
const PATIENCE_MS = 120_000

export type Netbox = {
  readonly url: string
  readonly token: string
  /** The settings of gunicorn: those of NetBox's own example. */
  readonly settings: Readonly<Record<string, string>>
  /** Runs a script in its shell. */
  readonly shell: (script: string, env?: Readonly<Record<string, string>>) => Promise<void>
  readonly stop: () => Promise<void>
}

const buildConfiguration = (databaseUrl: string, valkeyUrl: string): string => {
  const database = new URL(databaseUrl)
  const cache = new URL(valkeyUrl)
  const store = (number: number) => `{'HOST': '${cache.hostname}', 'PORT': ${cache.port}, 'DATABASE': ${number}}`
  return `
ALLOWED_HOSTS = ['*']
DATABASES = {'default': {
    'ENGINE': 'django.db.backends.postgresql', 'NAME': '${database.pathname.slice(1)}', 'USER': '${database.username}',
    'PASSWORD': '', 'HOST': '${database.hostname}', 'PORT': '${database.port}', 'CONN_MAX_AGE': 300,
}}
REDIS = {'tasks': ${store(0)}, 'caching': ${store(1)}}
SECRET_KEY = '${SECRET}'
API_TOKEN_PEPPERS = {1: SECRET_KEY}
`
}

type Tool = { readonly dir: string; readonly input?: string; readonly env?: Readonly<Record<string, string>> }

const runTool = async (args: readonly string[], { dir, input = '', env = {} }: Tool): Promise<void> => {
  const child = Bun.spawn([join(netboxFolder, 'bin', 'netbox'), ...args], {
    env: { PATH: process.env.PATH ?? '', NETBOX_ROOT: dir, ...env },
    stdio: [new Blob([input]), 'pipe', 'pipe'],
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`netbox ${args[0]} failed:\n${out.slice(-2000)}\n${err.slice(-4000)}`)
}

/** Returns the settings of gunicorn in the example of NetBox. */
const readSettings = (dir: string): Record<string, string> => {
  const text = readFileSync(join(dir, 'contrib', 'gunicorn.py'), 'utf8')
  return Object.fromEntries([...text.matchAll(/^(\w+) = (\d+)$/gm)].map(([, name = '', value = '']) => [name, value]))
}

/** The migrations take seven minutes. */
export const startNetbox = async (): Promise<Netbox> => {
  const dir = mkdtempSync(join(tmpdir(), 'plat-netbox-'))
  const [database, cache, port] = [await postgresAsItComes(), await valkey(), await freePort()]
  await runTool(['setup', '--target', dir], { dir })
  mkdirSync(join(dir, 'home'))
  writeFileSync(join(dir, 'conf', 'configuration.py'), buildConfiguration(database.url, cache.url))
  await runTool(['migrate'], { dir })
  const shell: Netbox['shell'] = (input, env = {}) => runTool(['shell'], { dir, input, env })
  await shell(readFileSync(join(import.meta.dir, 'admin.py'), 'utf8'), { NETBOX_TOKEN: TOKEN })
  const settings = ['-c', join(dir, 'contrib', 'gunicorn.py'), '-b', `127.0.0.1:${port}`]
  const running = await launch({
    isOwn: true,
    stopSignal: 'QUIT',
    serve: () => [
      ...['env', `NETBOX_ROOT=${dir}`, `HOME=${join(dir, 'home')}`],
      ...[join(netboxFolder, 'bin', 'gunicorn'), ...settings, 'netbox.wsgi'],
    ],
    isReady: (folder) => read(join(folder, 'log')).includes('Listening at'),
  })
  const url = `http://127.0.0.1:${port}`
  const headers = { Authorization: `Token ${TOKEN}` }
  await until(
    'answer of NetBox',
    () =>
      fetch(`${url}/api/status/`, { headers }).then(
        ({ ok }) => ok || undefined,
        () => undefined,
      ),
    PATIENCE_MS,
  )
  return {
    url,
    token: TOKEN,
    settings: readSettings(dir),
    shell,
    stop: async () => {
      await running.stop()
      await cache.stop()
      await database.remove()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
