/** The link of an empty list to the page of the documentation about it. */
import { useLocation } from '@tanstack/react-router'

/** The pages of the documentation by the first part of the path. */
const PAGES: Readonly<Record<string, string>> = {
  ...{ networks: 'inventory#addresses-and-networks', pools: 'inventory#addresses-and-networks' },
  ...{ reservations: 'inventory#addresses-and-networks', spaces: 'inventory#address-spaces', vlans: 'inventory#vlans' },
  ...{ devices: 'inventory#objects', datacenters: 'inventory#objects', racks: 'inventory#racks-and-device-types' },
  ...{ 'device-types': 'inventory#racks-and-device-types', cables: 'inventory#ports-and-cables' },
  ...{ 'custom-fields': 'inventory#custom-fields', scans: 'discovery#scans', rules: 'discovery', inbox: 'discovery' },
  ...{ 'discovered-devices': 'discovery', conflicts: 'events', webhooks: 'events', feeds: 'feeds', dns: 'dns' },
  ...{ history: 'history', audit: 'audit', users: 'access', groups: 'access', roles: 'access', scopes: 'access' },
  ...{
    'api-keys': 'access',
    keys: 'access',
    'sso-providers': 'sign-in',
    'oauth-clients': 'mcp',
    credentials: 'secrets',
  },
}

export const LearnMore = () => {
  const { pathname } = useLocation()
  const page = PAGES[pathname.split('/')[1] ?? '']
  if (page === undefined) return null
  return (
    // biome-ignore lint/a11y/noAmbiguousAnchorText: the heading of the empty list is beside it
    <a href={`/help/${page}`} target="_blank" rel="noopener" className="link">
      Learn more
    </a>
  )
}
