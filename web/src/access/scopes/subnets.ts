/** The subnets of a scope as text, one on each line. */

/** @example parseSubnets('10.0.0.0/8, 2001:db8::/32') // ['10.0.0.0/8', '2001:db8::/32'] */
export const parseSubnets = (text: string): readonly string[] => text.split(/[\s,]+/).filter((one) => one !== '')

/** Returns the error of the first refused subnet, with the subnet. @param errors by the names of fields: `subnets[0]` */
export const findSubnetError = (text: string, errors: Readonly<Record<string, string>>): string | undefined => {
  const subnets = parseSubnets(text)
  const index = subnets.findIndex((_, at) => errors[`subnets[${at}]`] !== undefined)
  return index === -1 ? errors.subnets : `${subnets[index]} ${errors[`subnets[${index}]`]}`
}
