/** Systems of which only the kernel is known: an appliance is built on it, and does not say which. */
export const GENERIC_SYSTEMS: ReadonlySet<string> = new Set(['Linux (embedded)', 'Linux (custom kernel)'])

/** Systems on which vendors build their own. */
export const KERNELS: ReadonlySet<string> = new Set([...GENERIC_SYSTEMS, 'Linux', 'FreeBSD', 'NetBSD'])
