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
        .product(name: "RoostCommandLine", package: "Roost"),
        .product(name: "RoostSQLite", package: "Roost"),
        .product(name: "RoostLMDB", package: "Roost"),
        .product(name: "RoostInMemory", package: "Roost"),
        .product(name: "RoostPostgreSQL", package: "Roost"),
      ]),
    // A list that is kept up to date while another process writes.
    .executableTarget(
      name: "Board",
      dependencies: [
        .product(name: "Roost", package: "Roost"),
        .product(name: "RoostCommandLine", package: "Roost"),
        .product(name: "RoostSQLite", package: "Roost"),
      ]),
    // A store of its own over Roost's key-value family, and the program that runs the conformance kit on it.
    .target(
      name: "SortedFile",
      dependencies: [
        .product(name: "Roost", package: "Roost"),
        .product(name: "RoostKeyValue", package: "Roost"),
      ]),
    .executableTarget(
      name: "SortedFileConformance",
      dependencies: [
        "SortedFile", .product(name: "Roost", package: "Roost"),
        .product(name: "RoostConformance", package: "Roost"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
