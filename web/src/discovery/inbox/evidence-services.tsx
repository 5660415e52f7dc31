/** The services of a host: products, banners, certificates. All of these texts are untrusted. */
import { CopyText, Facts } from '../../ui/primitives.tsx'
import css from '../evidence.module.css'
import type { DiscoveredDeviceDetail } from '../shapes.ts'

const Service = ({ service: one }: { readonly service: DiscoveredDeviceDetail['services'][number] }) => {
  const { port, protocol, service, product, version, banner, details } = one
  const facts = Object.entries(details).filter(([, value]) => value !== '')
  return (
    <li className={css.service}>
      <p>
        <b className="mono">
          {port}/{protocol}
        </b>{' '}
        {service} {product !== '' && <b>{product}</b>} {version}
      </p>
      {banner !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
        <pre className={`mono ${css.banner}`} tabIndex={0}>
          {banner}
        </pre>
      )}
      {facts.length > 0 && (
        <div className={css.details}>
          <Facts facts={facts.map(([name, value]) => [name.replaceAll('_', ' '), value] as const)} />
        </div>
      )}
    </li>
  )
}

export const Services = ({ discovered }: { readonly discovered: DiscoveredDeviceDetail }) => {
  const named = new Set(discovered.services.map(({ port }) => port))
  const others = discovered.open_ports.filter((port) => !named.has(port))
  if (discovered.services.length === 0 && others.length === 0) return null
  return (
    <section className={css.block}>
      <h3>Services</h3>
      <ul className={css.services}>
        {discovered.services.map((service) => (
          <Service key={`${service.protocol}/${service.port}`} service={service} />
        ))}
      </ul>
      {others.length > 0 && (
        <p>
          <span className="muted">Other open ports: </span>
          <span className="mono">{others.join(', ')}</span>
        </p>
      )}
    </section>
  )
}

/** `mac:02:00:…` -> its kind and its value. */
const splitIdentity = (identity: string): readonly [string, string] => {
  const at = identity.indexOf(':')
  return at === -1 ? ['', identity] : [identity.slice(0, at), identity.slice(at + 1)]
}

const KINDS: Readonly<Record<string, string>> = {
  mac: 'MAC',
  ssh: 'SSH host key',
  tls: 'TLS certificate',
  snmp: 'SNMP engine',
  address: 'Address',
}

const SAID: Readonly<Record<DiscoveredDeviceDetail['identity']['kind'], string>> = {
  mac: 'its MAC address, which stays when its address changes',
  ssh: 'the host key of its SSH server',
  tls: 'the certificate of its TLS server',
  snmp: 'the engine ID of its SNMP agent',
  address: 'its address alone: another host at that address cannot be distinguished from it',
}

export const Identity = ({ discovered }: { readonly discovered: DiscoveredDeviceDetail }) => {
  const shown = new Set(discovered.identities)
  const keys = [
    ['SSH host key', discovered.ssh_host_key],
    ['TLS certificate', discovered.tls_certificate],
  ] as const
  return (
    <section className={css.block}>
      <h3>Recognized by</h3>
      <p>It is recognized by {SAID[discovered.identity.kind]}.</p>
      <ul className={css.identities}>
        {discovered.identities.map((identity) => {
          const [kind, value] = splitIdentity(identity)
          return (
            <li key={identity}>
              <span className="muted">{KINDS[kind] ?? kind}</span>
              <CopyText text={value} label={KINDS[kind] ?? 'the value'} />
            </li>
          )
        })}
        {keys
          .filter(([, value]) => value !== '' && ![...shown].some((one) => one.endsWith(value)))
          .map(([name, value]) => (
            <li key={name}>
              <span className="muted">{name}</span>
              <CopyText text={value} label={name} />
            </li>
          ))}
      </ul>
    </section>
  )
}
