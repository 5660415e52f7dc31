/** Starts nginx on loopback, such as with `packaging/ha/nginx.conf`. It ends with this process, however it ends. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findTool } from '../../scripts/server-binaries.mjs'
import { freePort, launch, missing, type Running, read } from './servers.ts'

const FILE = resolve(import.meta.dir, '../../packaging/ha/nginx.conf')

/** The reason for which nginx cannot be started here, for the name of a skipped test. */
export const nginxProblem: string | undefined = findTool('nginx')
  ? undefined
  : 'nginx is missing (Debian package nginx)'

export type Nginx = { readonly url: string; readonly stop: Running['stop'] }

type Servers = {
  /** Returns the servers of the configuration, which listen on the port of loopback. @param dir for their files */
  readonly configure: (port: number, dir: string) => string
  readonly fill?: (dir: string) => void
}

/** Starts nginx with these servers. @returns its port */
export const launchNginx = async ({ configure, fill }: Servers): Promise<{ port: number; stop: Running['stop'] }> => {
  const port = await freePort()
  const paths = (dir: string) =>
    ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(dir, name)};`)
      .join(' ')
  const { stop } = await launch({
    fill: (dir) => {
      fill?.(dir)
      const head = `daemon off; pid ${join(dir, 'pid')}; error_log stderr;\nevents {}\n`
      writeFileSync(join(dir, 'nginx.conf'), `${head}http { access_log off; ${paths(dir)}\n${configure(port, dir)}}\n`)
    },
    serve: (dir) => [findTool('nginx') ?? missing('nginx'), '-p', dir, '-c', join(dir, 'nginx.conf')],
    isReady: (dir) => read(join(dir, 'pid')) !== '',
    stopSignal: 'QUIT',
  })
  return { port, stop }
}

const SUBJECT = ['-subj', '/CN=plat.example.com', '-days', '1', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

type Options = {
  /** Replaces nginx's own limit of 60 seconds, which the configuration keeps. */
  readonly readTimeout?: string
}

/** Starts nginx with the configuration of `packaging/ha`. @param ports of the two instances */
export const startNginx = async (
  ports: readonly [number, number],
  { readTimeout = '60s' }: Options = {},
): Promise<Nginx> => {
  const configure = (port: number, dir: string): string => {
    const replaced = {
      '10.0.0.11:8080': `127.0.0.1:${ports[0]}`,
      '10.0.0.12:8080': `127.0.0.1:${ports[1]}`,
      'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
      '/etc/nginx/plat.crt': join(dir, 'plat.crt'),
      '/etc/nginx/plat.key': join(dir, 'plat.key'),
    }
    let server = readFileSync(FILE, 'utf8')
    for (const [from, to] of Object.entries(replaced)) {
      if (!server.includes(from)) throw new Error(`packaging/ha/nginx.conf has no ${from}`)
      server = server.replaceAll(from, to)
    }
    return `proxy_read_timeout ${readTimeout};\n${server}`
  }
  const { port, stop } = await launchNginx({
    configure,
    fill: (dir) => {
      const files = ['-keyout', join(dir, 'plat.key'), '-out', join(dir, 'plat.crt')]
      spawnSync('openssl', ['req', '-x509', '-nodes', ...SUBJECT, ...files])
    },
  })
  return { url: `https://127.0.0.1:${port}`, stop }
}
