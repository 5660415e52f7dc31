/** Starts PostgreSQL with TLS: its certificate is for `localhost`, by an authority of its own. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { freePort, launch, postgresLaunch, type Running } from './servers.ts'

export type TlsPostgres = {
  readonly port: number
  /** The file of the authority that signed the certificate, and that of another one with the same name. */
  readonly authority: string
  readonly otherAuthority: string
  readonly stop: Running['stop']
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

const openssl = (dir: string, ...flags: string[]): void => {
  const { status, stderr } = spawnSync('openssl', flags, { cwd: dir })
  if (status !== 0) throw new Error(`openssl ${flags[0]}: ${stderr}`)
}

const createAuthority = (dir: string, name: string): void =>
  openssl(
    dir,
    'req',
    '-x509',
    ...EC,
    '-days',
    '2',
    '-subj',
    '/CN=tests',
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.pem`,
  )

const createCertificates = (dir: string): void => {
  for (const name of ['authority', 'other']) createAuthority(dir, name)
  const alt = ['-addext', 'subjectAltName=DNS:localhost']
  openssl(dir, 'req', ...EC, '-subj', '/CN=localhost', ...alt, '-keyout', 'server.key', '-out', 'server.csr')
  const signed = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-CAcreateserial', '-copy_extensions', 'copy']
  openssl(dir, 'x509', '-req', '-in', 'server.csr', ...signed, '-days', '2', '-out', 'server.pem')
}

export const startTlsPostgres = async (): Promise<TlsPostgres> => {
  const port = await freePort()
  const plain = postgresLaunch(port, (dir) => join(dir, 'data'))
  const { dir, stop } = await launch({
    ...plain,
    fill: createCertificates,
    serve: (dir) => [
      ...plain.serve(dir),
      ...['ssl=on', `ssl_cert_file=${join(dir, 'server.pem')}`, `ssl_key_file=${join(dir, 'server.key')}`].flatMap(
        (setting) => ['-c', setting],
      ),
    ],
  })
  return { port, authority: join(dir, 'authority.pem'), otherAuthority: join(dir, 'other.pem'), stop }
}
