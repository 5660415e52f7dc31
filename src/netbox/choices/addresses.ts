/** The choices of NetBox 4.5 for addresses: its values with its labels, which typed clients check. */

export const FAMILY = {
  '4': 'IPv4',
  '6': 'IPv6',
} as const

export const PREFIX_STATUS = {
  container: 'Container',
  active: 'Active',
  reserved: 'Reserved',
  deprecated: 'Deprecated',
} as const

export const RANGE_STATUS = {
  active: 'Active',
  reserved: 'Reserved',
  deprecated: 'Deprecated',
} as const

export const ADDRESS_STATUS = {
  active: 'Active',
  reserved: 'Reserved',
  deprecated: 'Deprecated',
  dhcp: 'DHCP',
  slaac: 'SLAAC',
} as const

export const ADDRESS_ROLE = {
  loopback: 'Loopback',
  secondary: 'Secondary',
  anycast: 'Anycast',
  vip: 'VIP',
  vrrp: 'VRRP',
  hsrp: 'HSRP',
  glbp: 'GLBP',
  carp: 'CARP',
} as const

export const VLAN_STATUS = {
  active: 'Active',
  reserved: 'Reserved',
  deprecated: 'Deprecated',
} as const

export const QINQ_ROLE = {
  svlan: 'Service',
  cvlan: 'Customer',
} as const

export const SERVICE_PROTOCOL = {
  tcp: 'TCP',
  udp: 'UDP',
  sctp: 'SCTP',
} as const
