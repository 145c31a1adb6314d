// SPDX-License-Identifier: Apache-2.0

@main enum Plugin { static func main() {} }
