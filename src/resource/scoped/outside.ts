/** The beginnings of the descriptions of conflicts with hidden members; the address or the subnet follows. Browser-safe. */
export const OUTSIDE = {
  duplicate_ip: 'Devices inside and outside of your part of the inventory have the address ',
  overlapping_subnet: 'Networks inside and outside of your part of the inventory have the subnet ',
} as const
