/** The host variables that differ between a NetBox and the Plat that has imported it, each with its reason. */

export const DIFFERENCES: readonly (readonly [RegExp, string])[] = []
