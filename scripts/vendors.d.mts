/** The compact table, of the vendors by prefix in upper-case hex. */
export function compactVendors(vendors: Readonly<Record<string, string>>): Buffer
