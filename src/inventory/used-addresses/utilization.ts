/** The figures of the utilization of networks and pools, by one function for every surface. Pure; browser-safe. */

/** Counts of addresses; an address that is both used and reserved counts as used. */
export type Counts = { readonly total: number; readonly used: number; readonly reserved: number }

/** `utilization` is percent, with two decimals. */
export type Figures = {
  readonly total_ips: number
  readonly used_ips: number
  readonly reserved_ips: number
  readonly available_ips: number
  readonly utilization: number
}

/** Returns a part as percent of a whole, with two decimals; 0 of nothing. */
export const computePercent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100

/** Returns counts of at most `Number.MAX_SAFE_INTEGER`, which means that many or more, and a utilization of at most 100. */
export const computeFigures = ({ total, used, reserved }: Counts): Figures => {
  const used_ips = Math.min(used, total)
  const reserved_ips = Math.min(reserved, total - used_ips)
  const taken = used_ips + reserved_ips
  return {
    total_ips: Math.min(total, Number.MAX_SAFE_INTEGER),
    used_ips,
    reserved_ips,
    available_ips: Math.min(total - taken, Number.MAX_SAFE_INTEGER),
    utilization: computePercent(taken, total),
  }
}

/** An instance of an earlier version, during an upgrade, sends no reserved addresses of networks. */
type WithNested = Pick<Figures, 'total_ips' | 'used_ips'> & {
  readonly reserved_ips?: number | undefined
  readonly nested_used_ips?: number | undefined
  readonly nested_reserved_ips?: number | undefined
}

/** Returns the figures of a network with all networks in it. Its own figures leave out the addresses of these. */
export const computeNestedFigures = (network: WithNested): Figures =>
  computeFigures({
    total: network.total_ips,
    used: network.nested_used_ips ?? network.used_ips,
    reserved: network.nested_reserved_ips ?? network.reserved_ips ?? 0,
  })
