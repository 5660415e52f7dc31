/** The value of `network_id` that stands for all networks. In a separate file, so that its users import no queries. */
export const ALL_NETWORKS = '*'
