/** Makes authorities, and certificates of servers and clients that they sign, by openssl. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type KeyPair = { readonly key: string; readonly cert: string }

export type CertificateRequest = {
  readonly name: string
  /** As `DNS:a.test,IP:127.0.0.5`. */
  readonly alternatives?: string
  readonly isExpired?: boolean
  /** Without an authority it signs itself. */
  readonly authority?: KeyPair
}

const runOpenssl = (...args: readonly string[]): void => {
  const { exitCode, stderr } = Bun.spawnSync(['openssl', ...args])
  if (exitCode !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`)
}

const VALID = ['20240101000000Z', '20990101000000Z'] as const
const EXPIRED = ['20200101000000Z', '20210101000000Z'] as const

export const createCertificate = ({
  name,
  alternatives,
  isExpired = false,
  authority,
}: CertificateRequest): KeyPair => {
  const dir = mkdtempSync(join(tmpdir(), 'certificate-'))
  const at = (file: string) => join(dir, file)
  try {
    const [from, to] = isExpired ? EXPIRED : VALID
    writeFileSync(at('index'), '')
    writeFileSync(
      at('config'),
      [
        ...[
          '[ca]',
          'default_ca = own',
          '[own]',
          `database = ${at('index')}`,
          `new_certs_dir = ${dir}`,
          'rand_serial = yes',
        ],
        ...['default_md = sha256', 'policy = any', 'unique_subject = no', 'x509_extensions = more', '[any]'],
        ...['commonName = supplied', '[more]', `basicConstraints = critical,CA:${authority ? 'FALSE' : 'TRUE'}`],
        ...(alternatives ? [`subjectAltName = ${alternatives}`] : []),
        '',
      ].join('\n'),
    )
    runOpenssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-out', at('key'))
    runOpenssl('req', '-new', '-key', at('key'), '-subj', `/CN=${name}`, '-out', at('request'))
    if (authority) {
      writeFileSync(at('ca-key'), authority.key)
      writeFileSync(at('ca-cert'), authority.cert)
    }
    const signer = authority ? ['-cert', at('ca-cert'), '-keyfile', at('ca-key')] : ['-selfsign', '-keyfile', at('key')]
    const common = ['-batch', '-notext', '-config', at('config'), '-in', at('request'), '-out', at('cert')]
    runOpenssl('ca', ...common, '-startdate', from, '-enddate', to, ...signer)
    return { key: readFileSync(at('key'), 'utf8'), cert: readFileSync(at('cert'), 'utf8') }
  } finally {
    rmSync(dir, { recursive: true })
  }
}
