/** In a mapping: the column becomes a line of the description, whatever its name means. Browser-safe. */
export const DESCRIBED = '+description'
