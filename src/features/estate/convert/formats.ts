/** The names of the formats that a conversion reads. Browser-safe. */

export const FORMATS = ['netbox', 'phpipam', 'rackd'] as const
export type Format = (typeof FORMATS)[number]
