// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
  name: "RoostExamples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Roost", path: "../")],
  targets: [
    .executableTarget(
      name: "Atlas",
      dependencies: [
        .product(name: "Roost", package: "Roost"),
        .product(name: "RoostSQLite", package: "Roost"),
        .product(name: "RoostLMDB", package: "Roost"),
        .product(name: "RoostInMemory", package: "Roost"),
        .product(name: "RoostPostgreSQL", package: "Roost"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
