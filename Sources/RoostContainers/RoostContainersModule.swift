// SPDX-License-Identifier: Apache-2.0

/// Represents this module for another one that re-exports its members without its types.
///
/// ```swift
/// @_exported public import enum RoostContainers.RoostContainersModule
/// ```
public enum RoostContainersModule {}
