// What a merchant lets agents do.

// off: nothing is answered. browse: agents find products and open checkouts, which shoppers pay on the page. buy: agents may also pay.
export const agentLevels = ['off', 'browse', 'buy'] as const
export type AgentLevel = (typeof agentLevels)[number]
