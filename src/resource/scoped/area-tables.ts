/** The tables with an area in each row, each after the tables that its rows inherit from. */
export const AREA_TABLES = [
  ...([
    'spaces',
    'datacenters',
    'networks',
    'pools',
    'reservations',
    'devices',
    'discovered_devices',
    'objects',
  ] as const),
] as const
export type AreaTable = (typeof AREA_TABLES)[number]
